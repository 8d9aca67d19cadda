import { describeError, errorParts } from './describe-error.js';
import { keepPrinted, printedOn, printTo } from './printed.js';
import { toJson } from './to-json.js';

/**
 * Runs the code of a user inside the interpreter. `start` and `finish` return the outcome as JSON, or an empty text
 * while it is pending: then the host runs pending promises and calls `finish` again.
 */
interface Call {
  code: string;
  data: { [title: string]: unknown };
  /** Null for code that computes a cell. */
  form: { name: string; env: { [name: string]: string }; maxPrinted: number } | null;
}

type Body = (data: object, later: (read: () => unknown) => void) => unknown;

const { parse } = JSON;
const { now } = Date;
const { defineProperty, hasOwn } = Object;
const isTitle = Function.prototype.call.bind(Object.prototype.propertyIsEnumerable) as (
  data: object,
  name: string,
) => boolean;
const NativePromise = Promise;
const { then } = NativePromise.prototype;
/** An indirect eval sees global names only, and its code is not strict. */
// oxlint-disable-next-line no-eval -- nothing is in this interpreter but the code that is to run
const evaluate = eval;

/** Null while the outcome is pending. */
let state: { value: unknown } | { thrown: unknown } | null = null;
/** Reads `result`; null after it was read. */
let readResult: (() => unknown) | null = null;
/** Null for code that computes a cell. */
let startedAt: number | null = null;
const notAsked = () => undefined;

function start(call: string): string {
  const { code, data, form } = parse(call) as Call;
  if (form) return startFunction(code, data, form);
  readResult = () => evaluate('result');
  attempt(() => compile(code)(withGet(data), (read) => void (readResult = read)));
  // Without a value, pending code may still assign one to `result`.
  return state && !('value' in state && state.value === undefined) ? finish() : '';
}

/** The result is the return value of the function, nothing else. */
function startFunction(code: string, args: object, { name, env, maxPrinted }: NonNullable<Call['form']>): string {
  startedAt = now();
  keepPrinted(maxPrinted);
  Object.assign(globalThis, { process: { env } });
  attempt(() =>
    asBody(code, (kind) => evaluate(`(${kind}function ${name}(args) {${code}\n})`) as Body)(args, notAsked),
  );
  return state ? finish() : '';
}

function finish(): string {
  if (startedAt !== null) return finishFunction(now() - startedAt);
  if (state === null) return failed('What was returned never settles: nothing is left to run.');
  if ('thrown' in state) return failed(describeError(state.thrown));
  const { value } = state;
  if (value !== undefined || !readResult) return written(value);
  const read = readResult;
  readResult = null;
  attempt(read);
  return '';
}

function finishFunction(ms: number): string {
  const printed = `"stdout":${toJson(printedOn('stdout'))},"stderr":${toJson(printedOn('stderr'))}`;
  return `{${functionOutcome()},${printed},"ms":${ms}}`;
}

function functionOutcome(): string {
  try {
    if (state === null) throw new Error('What was returned never settles: nothing is left to run.');
    if ('thrown' in state) throw state.thrown;
    return `"value":${toJson(state.value)}`;
  } catch (error) {
    return `"error":${toJson(errorParts(error))}`;
  }
}

/** Settles with the result of `work`, also when that is a promise. */
function attempt(work: () => unknown): void {
  state = null;
  const settle = (value: unknown) => void (state = { value });
  const fail = (thrown: unknown) => void (state = { thrown });
  try {
    const value = work();
    if (isThenable(value)) void then.call(NativePromise.resolve(value), settle, fail);
    else settle(value);
  } catch (thrown) {
    fail(thrown);
  }
}

/** Compiles the code as the body of a function. A `result` that it declares replaces the global of that name. */
function compile(code: string): Body {
  const wrap = (kind: string) =>
    evaluate(`(${kind}function (data, __later) {${code}\n;return __later(() => result)})`) as Body;
  return asBody(code, wrap);
}

/** Code with `await` in it may need an async function. */
function asBody(code: string, wrap: (kind: '' | 'async ') => Body): Body {
  try {
    return wrap('');
  } catch (error) {
    if (!/\bawait\b/.test(code)) throw error;
    try {
      return wrap('async ');
    } catch {
      throw error;
    }
  }
}

/** Adds the method `get`, which is not enumerable. A column of that title replaces it. */
function withGet(data: Call['data']): object {
  if (hasOwn(data, 'get')) return data;
  const get = (title: string, otherwise?: unknown) => (isTitle(data, title) ? data[title] : otherwise);
  return defineProperty(data, 'get', { value: get, enumerable: false, configurable: true, writable: true });
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

function written(value: unknown): string {
  try {
    return `{"value":${toJson(value)}}`;
  } catch (error) {
    return failed(describeError(error));
  }
}

function failed(error: string): string {
  return `{"error":${toJson(error)}}`;
}

evaluate('var result');
const print = printTo('stdout');
const printError = printTo('stderr');
Object.assign(globalThis, {
  start,
  finish,
  console: { log: print, info: print, debug: print, warn: printError, error: printError, trace: printError },
});
