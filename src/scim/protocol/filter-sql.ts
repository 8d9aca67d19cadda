import type { SqlParameters } from '../../platform/filters/sql-parameters.js';
import { ScimErrors } from '../shared/scim.errors.js';
import type { Comparable, Filter, Operator } from './filter.js';
import { type Attribute, findAttribute, isText, resolvePath, type ResourceType } from './schemas.js';

/** A value in SQL, of the row or of an item of one of its lists. */
export interface SqlValue {
  sql: string;
  /** An object can only be tested for its presence. */
  type: 'text' | 'boolean' | 'time' | 'id' | 'object';
  /** The form in which values are compared; `sql` has it already. */
  key?: (value: string) => string;
  /** True when letter case counts. */
  caseExact?: boolean;
}

/** A list in SQL: the rows of a FROM clause, one for each item. */
export interface SqlItems {
  from: string;
  /** Null for a sub-attribute that cannot be filtered by. */
  valueOf(sub: Attribute): SqlValue | null;
}

/** Where the attributes of a type of resource are stored. */
export interface FilterSource {
  type: ResourceType;
  /** Null for an attribute that cannot be filtered by. */
  valueOf(chain: readonly Attribute[]): SqlValue | null;
  itemsOf(chain: readonly Attribute[]): SqlItems | null;
}

/** SQL condition of a filter. It is never NULL, so it can be negated. Throws scim_filter_invalid for unknown attributes. */
export function toCondition(filter: Filter, source: FilterSource, parameters: SqlParameters): string {
  return new FilterSql(source, parameters).condition(filter);
}

class FilterSql {
  constructor(
    private readonly source: FilterSource,
    private readonly parameters: SqlParameters,
  ) {}

  condition(filter: Filter): string {
    switch (filter.kind) {
      case 'and':
      case 'or':
        return this.joined(filter, (part) => this.condition(part));
      case 'not':
        return `NOT (${this.condition(filter.part)})`;
      case 'item': {
        const { items, attribute } = this.list(filter.path);
        return `EXISTS (SELECT FROM ${items.from} WHERE ${this.within(filter.filter, items, attribute)})`;
      }
      default:
        return this.simple(filter);
    }
  }

  /** A condition about one item of a list. */
  private within(filter: Filter, items: SqlItems, list: Attribute): string {
    const inner = (part: Filter) => this.within(part, items, list);
    switch (filter.kind) {
      case 'and':
      case 'or':
        return this.joined(filter, inner);
      case 'not':
        return `NOT (${inner(filter.part)})`;
      case 'item':
        throw ScimErrors.scim_filter_invalid(`${list.name} has no lists in its items.`);
      default: {
        const sub = findAttribute(list.subAttributes ?? [], filter.path);
        return this.compared(filter, sub && items.valueOf(sub));
      }
    }
  }

  private joined(filter: Filter & { kind: 'and' | 'or' }, condition: (part: Filter) => string): string {
    return `(${filter.parts.map(condition).join(filter.kind === 'and' ? ' AND ' : ' OR ')})`;
  }

  private simple(filter: Filter & { kind: 'compare' | 'present' }): string {
    const chain = this.resolve(filter.path);
    const at = chain.findIndex(({ multiValued }) => multiValued);
    if (at === -1) return this.compared(filter, this.source.valueOf(withValue(chain)));
    // Without a sub-attribute the values of the items are meant.
    const path = chain.slice(0, at + 1);
    const sub = chain[at + 1]?.name ?? 'value';
    // Other than `x ne`, `not` is about the list as a whole: no item has the value.
    if (filter.kind === 'compare' && filter.operator === 'ne') {
      return `NOT (${this.simple({ ...filter, operator: 'eq' })})`;
    }
    const items = this.source.itemsOf(path);
    if (!items) throw notFilterable(filter.path);
    const condition = this.within({ ...filter, path: sub }, items, path.at(-1)!);
    return `EXISTS (SELECT FROM ${items.from} WHERE ${condition})`;
  }

  private list(path: string): { items: SqlItems; attribute: Attribute } {
    const chain = this.resolve(path);
    const attribute = chain.at(-1)!;
    const items = attribute.multiValued ? this.source.itemsOf(chain) : null;
    if (!items) throw ScimErrors.scim_filter_invalid(`${path.slice(0, 100)} is no list that can be filtered by.`);
    return { items, attribute };
  }

  private resolve(path: string): Attribute[] {
    const chain = resolvePath(this.source.type, path);
    if (!chain) throw ScimErrors.scim_filter_invalid(`there is no attribute "${path.slice(0, 100)}".`);
    return chain;
  }

  private compared(filter: Filter & { kind: 'compare' | 'present' }, value: SqlValue | null): string {
    if (!value) throw notFilterable(filter.path);
    if (filter.kind === 'present') return present(value);
    return this.comparison(filter.path, value, filter.operator, filter.value);
  }

  private comparison(path: string, stored: SqlValue, operator: Operator, value: Comparable): string {
    if (operator === 'ne') return `NOT (${this.comparison(path, stored, 'eq', value)})`;
    if (value === null) {
      if (operator !== 'eq') throw ScimErrors.scim_filter_invalid(`null can only be compared by eq and ne.`);
      return `NOT (${present(stored)})`;
    }
    const condition = this.ofType(path, stored, operator, value);
    return `(${stored.sql} IS NOT NULL AND ${condition})`;
  }

  private ofType(path: string, stored: SqlValue, operator: Operator, value: Exclude<Comparable, null>): string {
    switch (stored.type) {
      case 'boolean':
        return this.booleans(path, stored, operator, value);
      case 'time':
        return this.times(path, stored, operator, value);
      case 'id':
        return this.ids(stored, operator, String(value));
      case 'object':
        throw ScimErrors.scim_filter_invalid(`${path} is an object: name one of its sub-attributes.`);
      case 'text':
        if (typeof value !== 'string') throw ScimErrors.scim_filter_invalid(`${path} is compared with a text.`);
        return this.texts(stored, operator, value);
    }
  }

  private booleans(path: string, { sql }: SqlValue, operator: Operator, value: Exclude<Comparable, null>): string {
    const text = String(value).toLowerCase();
    if (operator !== 'eq' || (text !== 'true' && text !== 'false')) {
      throw ScimErrors.scim_filter_invalid(`${path} can only be eq or ne to true or false.`);
    }
    return `${sql} = ${this.parameters.add(text === 'true')}::boolean`;
  }

  private times(path: string, { sql }: SqlValue, operator: Operator, value: Exclude<Comparable, null>): string {
    const sign = SIGNS[operator];
    const moment = typeof value === 'string' && TIME.test(value) ? new Date(value) : null;
    if (!sign || !moment || Number.isNaN(moment.getTime())) {
      throw ScimErrors.scim_filter_invalid(`${path} is compared by eq, ne, gt, ge, lt or le with a time.`);
    }
    return `${sql} ${sign} ${this.parameters.add(moment)}::timestamptz`;
  }

  /** Compares ids. A text that cannot be an id equals none. Other comparisons are those of texts. */
  private ids(stored: SqlValue, operator: Operator, value: string): string {
    if (operator !== 'eq')
      return this.texts({ ...stored, sql: `${stored.sql}::text`, key: undefined, caseExact: true }, operator, value);
    const id = stored.key?.(value) ?? '';
    return id === '' ? 'false' : `${stored.sql} = ${this.parameters.add(id)}`;
  }

  private texts({ sql, key, caseExact }: SqlValue, operator: Operator, value: string): string {
    const folds = !caseExact && !key;
    const left = folds ? `lower(${sql})` : sql;
    const given = `${this.parameters.add(key?.(value) ?? value)}::text`;
    const right = folds ? `lower(${given})` : given;
    switch (operator) {
      case 'co':
        return `strpos(${left}, ${right}) > 0`;
      case 'sw':
        return `starts_with(${left}, ${right})`;
      case 'ew':
        return `right(${left}, length(${right})) = ${right}`;
      case 'eq':
        return `${left} = ${right}`;
      default:
        return `${left} COLLATE "C" ${SIGNS[operator]} ${right}`;
    }
  }
}

const SIGNS: Partial<Record<Operator, string>> = { eq: '=', gt: '>', ge: '>=', lt: '<', le: '<=' };

const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/i;

const present = ({ sql, type }: SqlValue): string =>
  type === 'text' ? `(${sql} IS NOT NULL AND ${sql} <> '')` : `${sql} IS NOT NULL`;

const notFilterable = (path: string) => ScimErrors.scim_filter_invalid(`${path.slice(0, 100)} cannot be filtered by.`);

/** A complex attribute with a value, such as `manager`, stands for that value. */
function withValue(chain: Attribute[]): Attribute[] {
  const value = chain.at(-1)!.subAttributes?.find(({ name }) => name === 'value');
  return value ? [...chain, value] : chain;
}

/** A value of a JSON document by its path. Names are those of the schema, never of a client. */
export function jsonValue(document: string, chain: readonly Attribute[]): SqlValue | null {
  const last = chain.at(-1)!;
  const path = chain.slice(0, -1).reduce((outer, { name }) => `${outer} -> '${name}'`, document);
  if (last.type === 'complex') return { sql: `(${path} -> '${last.name}')`, type: 'object' };
  if (last.type === 'boolean') return { sql: `(${path} ->> '${last.name}')::boolean`, type: 'boolean' };
  return isText(last) ? { sql: `(${path} ->> '${last.name}')`, type: 'text', caseExact: last.caseExact } : null;
}

/** The items of a list in a JSON document. */
export function jsonItems(document: string, chain: readonly Attribute[]): SqlItems {
  const list = chain.reduce((outer, { name }) => `${outer} -> '${name}'`, document);
  return {
    from: `jsonb_array_elements(${list}) AS item (value)`,
    valueOf: (sub) => jsonValue('item.value', [sub]),
  };
}
