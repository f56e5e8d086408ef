// What node-mqtt expects to find everywhere, because Node has it; esbuild puts it in where it is used.
export { Buffer } from 'buffer';
import process from 'process';
export { process };
