# Turns pages of `forecourt --help` into roff. The first is the program's own; every other is a command's, and becomes a part of it.
# Sections whose lines are terms with explanations are known by their names; terms too long for their column stand alone.
function escaped(text) {
  gsub(/\\/, "\\e", text)
  gsub(/-/, "\\-", text)
  gsub(/^[.']/, "\\\\\\&&", text)
  gsub(/…/, "...", text)
  return text
}
function indented(line) { match(line, /^ */); return RLENGTH }
function put(text) { print escaped(text) }
function entry(term, words) { print ".TP"; print ".B " escaped(term); if (words != "") put(words) }

FNR == 1 { page++; command = ""; section = "" }
page > 1 && section == "NAME" && command == "" && /^ / {
  sub(/^ *forecourt /, "")
  command = substr($0, 1, index($0, " ") - 1)
  print ".SH " toupper(command)
  put(toupper(substr($0, length(command) + 4, 1)) substr($0, length(command) + 5) ".")
  next
}
/^[A-Z]/ {
  section = $0
  # Said once, on the first page.
  silent = page > 1 && (section == "ENVIRONMENT" || section == "FILES")
  lists = section ~ /^(COMMANDS|OPTIONS|EXAMPLES|EXIT STATUS|ENVIRONMENT|FILES)$/
  if (page == 1) print ".SH " section
  else if (section != "NAME" && !silent) print (section == "SYNOPSIS" || section == "DESCRIPTION") ? ".PP" : ".SS " section
  begun = 0
  next
}
silent { next }
/^$/ { if (begun) { print ".PP"; lists = 0 } next }
{
  begun = 1
  text = substr($0, indented($0) + 1)
  if (section == "SYNOPSIS") {
    if (indented($0) > 7) { put(text); next }
    print ".HP"
    put(text)
    next
  }
  if (!lists || indented($0) > 7) { put(text); next }
  gap = match(text, /  +/)
  if (gap) entry(substr(text, 1, gap - 1), substr(text, gap + RLENGTH))
  else entry(text, "")
}
