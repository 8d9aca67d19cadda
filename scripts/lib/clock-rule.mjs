import ts from 'typescript';

const TIMERS = ['setTimeout', 'setInterval'];
const CLOCKS = /\b(?:Date|performance)\.now\(\)/;
const COMPARISONS = /^to(?:Be(?:Less|Greater)Than|BeCloseTo)/;
const TESTS = /^(?:it|deepIt|test|describe|before(?:All|Each)|after(?:All|Each))\b/;
const WAITS = /\b(?:poll|waitFor\w*)$/;
/** The limit of a test in vitest.config.ts. */
const USUAL_LIMIT_MS = 300_000;
const PROCESS_LISTS = /^\/proc$|^ps$|^pgrep$/;

/**
 * Places where a test waits by the clock, compares durations or searches the list of all processes: on a busy machine
 * each passes or fails by chance. Tests wait for the expected state, set the time where time is the behaviour, and know
 * their processes by a handle.
 * @returns one line for each place
 */
export function waitsByTheClock(file, text) {
  return complaints(file, text, complaintOf);
}

/**
 * Tests, hooks and conditions with a limit that is shorter than the usual one, which fail on a busy machine.
 * @returns one line for each place
 */
export function endsTooSoon(file, text) {
  return complaints(file, text, (node) =>
    ts.isCallExpression(node) && hasShortLimit(node) ? 'has a short limit' : null,
  );
}

function complaints(file, text, complaintOf) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found = [];
  const visit = (node) => {
    const complaint = complaintOf(node);
    if (complaint) {
      const { line, character } = source.getLineAndCharacterOfPosition(node.getStart());
      found.push(`${file}:${line + 1}:${character + 1} ${complaint}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function complaintOf(node) {
  if (ts.isImportDeclaration(node) && node.moduleSpecifier.text.startsWith('node:timers')) return 'waits by the clock';
  if (ts.isStringLiteralLike(node) && PROCESS_LISTS.test(node.text)) return 'searches the list of processes';
  if (!ts.isCallExpression(node)) return null;
  if (ts.isIdentifier(node.expression) && TIMERS.includes(node.expression.text)) return 'waits by the clock';
  return comparesDuration(node) ? 'compares a duration' : null;
}

/** `expect(Date.now() - before).toBeLessThan(…)`. */
function comparesDuration({ expression }) {
  if (!ts.isPropertyAccessExpression(expression) || !COMPARISONS.test(expression.name.text)) return false;
  const [given] = expression.expression.arguments ?? [];
  return given !== undefined && ts.isBinaryExpression(given) && CLOCKS.test(given.getText());
}

/** `it('…', async () => {…}, 60_000)`, `expect.poll(read, { timeout: 15_000 })`. */
function hasShortLimit({ expression, arguments: given }) {
  const callee = expression.getText();
  if (!TESTS.test(callee) && !WAITS.test(callee)) return false;
  return given.slice(1).some((each) => isShort(TESTS.test(callee) ? each : undefined) || isShort(timeoutOf(each)));
}

const isShort = (node) =>
  node !== undefined && ts.isNumericLiteral(node) && Number(node.text.replaceAll('_', '')) < USUAL_LIMIT_MS;

const timeoutOf = (node) =>
  ts.isObjectLiteralExpression(node)
    ? node.properties.find((each) => each.name?.getText() === 'timeout')?.initializer
    : undefined;
