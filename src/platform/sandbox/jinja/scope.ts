import { EmptyNone, Undefined, type Value, fromJson } from './values.js';

/** Names and their values, innermost first. */
export class Scope {
  private readonly values = new Map<string, Value>();

  constructor(private readonly parent: Scope | TopLevel) {}

  set(name: string, value: Value): void {
    this.values.set(name, value);
  }

  find(name: string): Value | undefined {
    const value = this.values.get(name);
    return value === undefined ? this.parent.find(name) : value;
  }
}

/** The supplied variables, made into values when a template asks for them, then the global functions. */
export class TopLevel {
  /** Names that were read and do not exist, in order of first use. */
  readonly missing = new Set<string>();
  private readonly values = new Map<string, Value>();

  constructor(
    private readonly variables: { [name: string]: unknown },
    private readonly globals: Map<string, Value>,
  ) {}

  find(name: string): Value | undefined {
    if (!Object.hasOwn(this.variables, name)) return this.globals.get(name);
    const known = this.values.get(name);
    if (known !== undefined) return known;
    const value = this.variables[name] === null ? new EmptyNone() : fromJson(this.variables[name]);
    this.values.set(name, value);
    return value;
  }
}

/** Looks a name up for a template that uses it: what does not exist is undefined and counts as missing. */
export function lookup(scope: Scope, top: TopLevel, name: string): Value {
  const value = scope.find(name);
  if (value !== undefined) return value;
  top.missing.add(name);
  return new Undefined(name);
}
