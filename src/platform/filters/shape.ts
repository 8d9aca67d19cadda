import type { Detail } from '../errors/problem.js';
import { nearestName, unknownKeys } from '../http/unknown-keys.js';
import { safeText } from '../safe-text.js';
import type { FieldClasses } from './fields.js';
import { needsKey, OPERATOR_NAMES } from './operators.js';

const MAX_DEPTH = 10;
const MAX_LEAVES = 100;
/** An empty group is no condition, but takes time to read. */
const MAX_GROUPS = 1000;
const LONGEST_QUOTE = 60;
/** Enough to choose from. A sheet has up to a thousand columns. */
const MOST_NAMES = 100;

const GROUP_KEYS = ['logic', 'filters'];
const LEAF_KEYS = ['field', 'operator', 'value', 'nested_key'];

export const LOGICS = ['AND', 'OR', 'SPAN_AND', 'SPAN_OR'] as const;
/** The logic of a group; the last two are for filters of traces. */
export type Logic = (typeof LOGICS)[number];

/** A group with known names; its operators and values are not checked yet. */
export interface GroupShape {
  logic: Logic;
  filters: (GroupShape | LeafShape)[];
}

export interface LeafShape {
  field: string;
  operator: string;
  nestedKey: string | null;
  value: unknown;
}

/** The location of a part of the input: names and list positions from the outside in. */
export type Location = readonly (string | number)[];

/** Reads the input only down to the depth limit, however deep or long it is. */
export class ShapeReader {
  readonly issues: Detail[] = [];
  private readonly fieldNames: ReadonlySet<string>;
  private readonly logics: readonly Logic[];
  private readonly shownNames: readonly string[];
  private leaves = 0;
  private groups = 0;
  private stopped = false;

  constructor(
    private readonly fields: FieldClasses,
    { logics = ['AND', 'OR'], names }: { logics?: readonly Logic[]; names?: readonly string[] } = {},
  ) {
    this.fieldNames = new Set(Object.keys(fields));
    this.logics = logics;
    this.shownNames = names ?? [...this.fieldNames];
  }

  /** Returns the group; when `issues` is not empty it is incomplete and must not be used. */
  read(input: unknown, at: Location): GroupShape {
    if (isObject(input) && 'filters' in input) return this.readGroup(input, at, 1);
    if (isObject(input)) this.report([...at, 'filters'], 'A filter group needs "filters".', 'missing');
    else this.report(at, 'A filter group is an object.', 'object_type');
    return { logic: 'AND', filters: [] };
  }

  private readGroup(input: Record<string, unknown>, at: Location, depth: number): GroupShape {
    const group: GroupShape = { logic: this.readLogic(input.logic, [...at, 'logic']), filters: [] };
    this.refuseOthers(input, GROUP_KEYS, at);
    const items = input.filters;
    if (depth > MAX_DEPTH) {
      this.report(at, `Groups may be nested ${MAX_DEPTH} deep.`, 'too_deep');
    } else if (!Array.isArray(items)) {
      this.report([...at, 'filters'], 'The filters of a group are a list.', 'list_type');
    } else {
      for (let index = 0; index < items.length && !this.stopped; index += 1) {
        const item = this.readItem(items[index], [...at, 'filters', index], depth);
        if (item) group.filters.push(item);
      }
    }
    return group;
  }

  private readItem(item: unknown, at: Location, depth: number): GroupShape | LeafShape | null {
    if (isObject(item) && 'filters' in item) {
      this.groups += 1;
      if (this.groups > MAX_GROUPS) return this.stop(at, `A filter may hold ${MAX_GROUPS} groups.`);
      return this.readGroup(item, at, depth + 1);
    }
    this.leaves += 1;
    if (this.leaves > MAX_LEAVES) return this.stop(at, `A filter may hold ${MAX_LEAVES} conditions.`);
    if (isObject(item) && 'field' in item) return this.readLeaf(item, at);
    this.report(at, 'An item is a group with "filters" or a filter with "field" and "operator".', 'missing');
    return null;
  }

  private readLeaf(input: Record<string, unknown>, at: Location): LeafShape | null {
    const field = this.readName(input.field, [...at, 'field'], { known: this.fieldNames, shown: this.shownNames });
    const operators = { known: OPERATOR_NAMES, shown: [...OPERATOR_NAMES] };
    const operator = this.readName(input.operator, [...at, 'operator'], operators);
    const nestedKey = this.readKey(input.nested_key, [...at, 'nested_key']);
    this.refuseOthers(input, LEAF_KEYS, at);
    if (field === null || operator === null) return null;
    if (nestedKey === null && needsKey(this.fields[field].class, operator)) {
      this.report([...at, 'nested_key'], `The operator "${operator}" of the field "${field}" needs a key.`, 'missing');
    }
    return { field, operator, nestedKey, value: input.value };
  }

  /** Refuses unknown members, because a misspelled condition must not be ignored. */
  private refuseOthers(input: Record<string, unknown>, known: readonly string[], at: Location): void {
    this.issues.push(...unknownKeys(Object.keys(input), known, at));
  }

  private readName(
    value: unknown,
    at: Location,
    { known, shown }: { known: ReadonlySet<string>; shown: readonly string[] },
  ): string | null {
    const kind = String(at.at(-1));
    if (value === undefined || value === null) this.report(at, `A filter needs a "${kind}".`, 'missing');
    else if (typeof value !== 'string') this.report(at, `The ${kind} is a text.`, 'string_type');
    else if (known.has(value)) return value;
    else this.report(at, `Unknown ${kind} ${quote(value)}. ${namesLike(value, shown)}`, 'enum');
    return null;
  }

  /** The empty key counts as absent: forms send it for fields without keys. Stored keys went through `safeText` too. */
  private readKey(value: unknown, at: Location): string | null {
    if (typeof value === 'string') return safeText(value) || null;
    if (value !== undefined && value !== null) this.report(at, 'The nested_key is a text.', 'string_type');
    return null;
  }

  private readLogic(value: unknown, at: Location): Logic {
    const known = this.logics.find((logic) => logic === value);
    if (known) return known;
    const names = this.logics.map((logic) => `"${logic}"`).join(' or ');
    if (value !== undefined && value !== null) this.report(at, `The logic of a group is ${names}.`, 'enum');
    return 'AND';
  }

  /** Reports an exceeded limit once and stops reading all enclosing groups. */
  private stop(at: Location, message: string): null {
    this.report(at, message, 'too_long');
    this.stopped = true;
    return null;
  }

  private report(loc: Location, msg: string, type: string): void {
    this.issues.push({ loc: [...loc], msg, type });
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The probable name, and the known names. */
function namesLike(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  const hint = nearest === null ? '' : `Did you mean ${quote(nearest)}? `;
  return `${hint}Known: ${known.slice(0, MOST_NAMES).join(', ')}${known.length > MOST_NAMES ? ', …' : ''}.`;
}

function quote(name: string): string {
  return `"${name.length > LONGEST_QUOTE ? `${name.slice(0, LONGEST_QUOTE)}…` : name}"`;
}
