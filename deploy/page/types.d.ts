// The little that the page uses of what is bundled: Debian has no types for Node's own modules.

declare module 'mqtt/lib/client.js' {
  export default class Client {
    constructor(line: () => unknown, options: Record<string, unknown>);
    on(event: 'connect' | 'close', then: () => void): this;
    on(event: 'message', then: (topic: string, payload: { toString(): string }, packet: { retain: boolean }) => void): this;
    on(event: 'error', then: (error: Error & { code?: number }) => void): this;
    connected: boolean;
    unsubscribe(topics: string[]): this;
    subscribe(topics: string[], options: { qos: 0 | 1 }, then?: () => void): this;
    end(force: boolean): this;
  }
}

declare module 'readable-stream' {
  export class Duplex {
    push(bytes: Uint8Array): boolean;
    destroy(error?: Error): this;
  }
}

declare module 'buffer' {
  export const Buffer: { from(bytes: ArrayBuffer): Uint8Array };
}
