# Turns the same pages into a completion for bash: commands, their options, and files or fixed words where a value or an operand is one.
FNR == 1 { page++; command = ""; section = "" }
/^[A-Z]/ { section = $0; next }
page > 1 && section == "NAME" && command == "" && /^ / { command = $2; commands = commands " " command; next }
page > 1 && section == "SYNOPSIS" && $1 == "forecourt" {
  operand = $3
  if (operand ~ /^(CAPTURE|SCENARIO|OUT)/) files[command] = 1
  if (operand ~ /^[a-z]+[|]/) { gsub(/[|]/, " ", operand); choices[command] = operand }
}
page > 1 && section == "OPTIONS" && /^       --/ {
  options[command] = options[command] " " $1
  if ($2 ~ /^[A-Z][A-Z.]*(…)?$/) {
    valued[$1] = 1
    if ($2 ~ /FILE|OUT/) filed[$1] = 1
    if ($2 == "ADAPTER") adapters[$1] = 1
  }
}
function sorted(list, text, count, names, i, j, swap, name) {
  for (name in list) names[++count] = name
  for (i = 1; i < count; i++) for (j = i + 1; j <= count; j++) if (names[j] < names[i]) { swap = names[i]; names[i] = names[j]; names[j] = swap }
  for (i = 1; i <= count; i++) text = text (i > 1 ? "|" : "") names[i]
  return text
}
function answer(list, words) { if (sorted(list) != "") print "    " sorted(list) ") " words " ;;" }
END {
  print "# bash completion for forecourt, made from its own help."
  print "_forecourt() {"
  print "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}"
  print "  COMPREPLY=()"
  print "  if [ \"$COMP_CWORD\" = 1 ]; then"
  print "    mapfile -t COMPREPLY < <(compgen -W '" substr(commands, 2) " --help' -- \"$word\")"
  print "    return"
  print "  fi"
  print "  case $before in"
  answer(filed, "mapfile -t COMPREPLY < <(compgen -f -- \"$word\"); return")
  # The kernel lists a connection as hci0:64.
  here = "$(\\ls /sys/class/bluetooth 2>/dev/null | \\grep -x 'hci[0-9]*')"
  answer(adapters, "mapfile -t COMPREPLY < <(compgen -W \"" here " h4: tcp: unix: capture: simulate:\" -- \"$word\"); return")
  for (name in valued) if (name in filed || name in adapters) delete valued[name]
  answer(valued, "return")
  print "  esac"
  print "  case $command in"
  count = split(commands, list, " ")
  for (i = 1; i <= count; i++) {
    name = list[i]
    print "    " name ")"
    print "      mapfile -t COMPREPLY < <(compgen -W '" substr(options[name], 2) "' -- \"$word\")"
    if (name in files) print "      [[ $word = -* ]] || mapfile -t COMPREPLY < <(compgen -f -- \"$word\")"
    if (name in choices) print "      [[ $word = -* ]] || mapfile -t COMPREPLY < <(compgen -W '" choices[name] "' -- \"$word\")"
    print "      ;;"
  }
  print "  esac"
  print "}"
  print "complete -o filenames -F _forecourt forecourt"
}
