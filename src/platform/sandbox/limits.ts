/** Limits of the work of users. One object covers everything that runs in the sandbox. Times are processor time (`processor-time.ts`). */
export interface SandboxLimits {
  /** Processes of each kind; one workspace gets all but one of them. */
  processes: number;
  /** For all templates of one call together, in milliseconds. */
  templatesMs: number;
  /** For one row, in milliseconds: a pattern, a path or a diff; code. */
  expressionMs: number;
  codeMs: number;
  /** After this many stopped rows in a call, the others are not tried. */
  stoppedRows: number;
  /** Memory of one interpreter, in MiB. That of expressions is the memory of their process. */
  templatesMb: number;
  expressionsMb: number;
  codeMb: number;
}

export const SANDBOX_LIMITS = Symbol('SANDBOX_LIMITS');

export const DEFAULT_LIMITS: SandboxLimits = {
  processes: 3,
  templatesMs: 500,
  expressionMs: 5_000,
  codeMs: 6 * 60_000,
  stoppedRows: 10,
  templatesMb: 64,
  expressionsMb: 512,
  codeMb: 128,
};

/** Characters of all results of a template call together. */
export const MAX_RENDERED = 10_000_000;
/** Characters of the JSON of one result of an expression, and of code. */
export const MAX_FOUND = 5_000_000;
export const MAX_CODE_RESULT = 10_000_000;
/** Bytes of code, and of the JSON of its data. */
export const MAX_CODE = 1 << 20;
export const MAX_CODE_DATA = 10 << 20;
/** Characters that a function may print to one stream; the rest is dropped. */
export const MAX_PRINTED = 100_000;

/** After this time a process answers with its finished rows, so that others get their turn about this often. */
export const TURN_MS = 200;
