// Prints answers of the API so that they fit a screen: the first items of lists, the first words of texts. What is not JSON, such as the
// lines of an event stream, is printed as it comes. `call … | node scripts/print.mjs`; in a pipe on it changes nothing, unless PRINT=short.
import { createInterface } from 'node:readline';
import { inspect } from 'node:util';

const LINES = 32;
const LIMITS = { depth: 6, maxArrayLength: 2, maxStringLength: 160 };

const isScreen = process.stdout.isTTY === true || process.env.PRINT === 'short';
const width = process.stdout.columns ?? 120;

/** Begins like an object or a list; everything else is a line of its own. */
let json = '';

for await (const line of createInterface({ input: process.stdin })) {
  if (!isScreen) console.log(line);
  else if (json || /^\s*[[{]/.test(line)) json += `${line}\n`;
  else if (line) console.log(line.slice(0, width));
}
if (json) printJson(json);

function printJson(text) {
  const lines = shortened(text).split('\n');
  console.log(lines.slice(0, LINES).join('\n'));
  if (lines.length > LINES)
    console.log(`… and ${lines.length - LINES} more lines. Everything: put | cat behind the command.`);
}

function shortened(text) {
  try {
    return inspect(JSON.parse(text), { ...LIMITS, breakLength: width, colors: process.stdout.isTTY === true });
  } catch {
    return text.trimEnd();
  }
}
