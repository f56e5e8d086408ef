#!/usr/bin/env bash
# Prints what `forecourt version` prints: the release's number and the commit. The same commit gives the same version.
source "$(dirname "$0")/common.sh"

number=0.1.0

if commit=$(git rev-parse --short=9 HEAD 2>/dev/null); then
  git diff --quiet HEAD -- Package.swift Sources 2>/dev/null || commit+=.changed
  echo "$number+g$commit"
else
  echo "$number"
fi
