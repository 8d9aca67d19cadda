/** One entry of a 422 answer. `loc` starts with body, query, path or header. */
export interface Detail {
  loc: (string | number)[];
  msg: string;
  type: string;
}

/** Everything the server refuses on purpose. The one exception filter turns it into its wire shape. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly extra: { body?: object; headers?: Record<string, string> } = {},
  ) {
    super(message);
  }
}

/** Faults that an answer lists: a body of a few megabytes can have a million, which would become an answer of half a gigabyte. */
export const MOST_DETAILS = 100;

/** 422: the request does not fit its schema. The message is for clients that print nothing else. */
export class ValidationProblem extends Problem {
  readonly details: Detail[];

  constructor(found: Detail[]) {
    const details = found.slice(0, MOST_DETAILS);
    const message = summaryOf(details);
    super(422, 'validation_error', message, { body: { detail: details, message } });
    this.details = details;
  }
}

/** Says in one sentence where the first fault is and what it is. */
function summaryOf([first, ...others]: Detail[]): string {
  if (!first) return 'The request is not valid.';
  const more =
    others.length === 0 ? '' : ` (and ${others.length} more ${others.length === 1 ? 'fault' : 'faults'} in detail)`;
  return `The request is not valid at ${first.loc.join('.')}: ${first.msg.replace(/\.$/, '')}${more}.`;
}

export interface ErrorDefinition<A extends unknown[] = never[]> {
  status: number;
  message: string | ((...args: A) => string);
  /** Replaces the standard body where the contract shows another one. */
  body?: (...args: A) => object;
  /** The component of the OpenAPI document that describes `body`. */
  bodySchema?: string;
  headers?: Record<string, string>;
}

/** Throwable with its own arguments; carries its definition for the OpenAPI document and the error reference. */
export type ErrorFactory<A extends unknown[]> = ((...args: A) => Problem) & AnyErrorFactory;
export type AnyErrorFactory = { readonly code: string; readonly definition: ErrorDefinition };

type Table = Record<string, ErrorDefinition>;
type Args<D> = D extends { message: (...args: infer A) => string } ? A : [];
export type Errors<T extends Table> = { readonly [K in keyof T]: ErrorFactory<Args<T[K]>> };

/** Every error table of the process, so that documents and tests can list all codes. */
export const errorTables = new Map<string, AnyErrorFactory>();

/**
 * Declares the errors of a domain: code → status and message.
 * Codes are stable for ever and unique in the whole server.
 */
export function defineErrors<const T extends Table>(table: T): Errors<T> {
  const factories: Record<string, AnyErrorFactory> = {};
  for (const [code, definition] of Object.entries(table)) {
    if (errorTables.has(code)) throw new Error(`The error code ${code} is defined twice.`);
    const factory = Object.assign((...args: never[]) => toProblem(code, definition, args), { code, definition });
    factories[code] = factory;
    errorTables.set(code, factory);
  }
  return factories as Errors<T>;
}

function toProblem(code: string, definition: ErrorDefinition, args: never[]): Problem {
  const message = typeof definition.message === 'string' ? definition.message : definition.message(...args);
  return new Problem(definition.status, code, message, {
    body: definition.body?.(...args),
    headers: definition.headers,
  });
}
