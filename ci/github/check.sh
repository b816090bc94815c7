#!/usr/bin/env bash
# Checks once, and writes the results as a log and as a summary: the second run takes
# what the first one found from the cache.
set -uo pipefail
sarif=${RUNNER_TEMP:-/tmp}/robust.sarif
read -r -d '' -a flags <<< "${ROBUST_FLAGS:-}" || true # of all lines
read -r -d '' -a inputs <<< "${ROBUST_INPUTS:-./...}" || true
robust check ${flags[@]+"${flags[@]}"} -format sarif -o "$sarif" "${inputs[@]}"
code=$?
case $code in
0) verdict=passed ;;
3) verdict=not-robust ;;
4) verdict=unknown ;;
*) verdict=failed ;;
esac
{
  echo "verdict=$verdict"
  [ "$verdict" = failed ] || echo "sarif=$sarif"
} >> "$GITHUB_OUTPUT"
if [ "$verdict" != failed ] && [ "${ROBUST_SUMMARY:-true}" = true ]; then
  robust check ${flags[@]+"${flags[@]}"} -format markdown -o /dev/stdout "${inputs[@]}" >> "$GITHUB_STEP_SUMMARY"
fi
exit $code
