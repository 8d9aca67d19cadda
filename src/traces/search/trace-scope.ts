import type { FilterGroup, FilterLeaf } from '../../platform/filters/grammar.js';
import type { SqlParameters } from '../../platform/filters/sql-parameters.js';
import { facetsOf, normalized, plainLeafSql } from './leaf-conditions.js';
import { requirementsOf, type SearchedWorkspace } from './requirements.js';
import { SpanScope } from './span-scope.js';
import { mayFulfil, mayHold } from './trace-candidates.js';
import { TRACE_FIELDS, type TraceField, type TraceLevelField } from './trace-fields.js';

/** Makes conditions about a trace, over `traces` t and `trace_search` x. */
export class TraceScope {
  /** True once a condition needs `trace_search`. */
  searched = false;
  /** True once a condition looks at the spans of traces, whatever the indexes tell. */
  testsSpans = false;

  readonly workspaceId: number;

  constructor(
    private readonly workspace: SearchedWorkspace,
    private readonly parameters: SqlParameters,
    /** The only traces that can fulfil a group about one span, as far as they have been looked up. */
    private readonly listed: ReadonlyMap<FilterGroup, string[]>,
    /** False for traces of which the indexes have told already that they have what the whole query requires. */
    readonly narrows = true,
  ) {
    this.workspaceId = workspace.workspaceId;
  }

  /** `isRequired`: whether nothing fulfils the query that does not fulfil the group. */
  group(group: FilterGroup, isRequired = true): string {
    if (group.filters.length === 0) return 'TRUE';
    if (group.logic.startsWith('SPAN_')) return this.someSpan(group, isRequired);
    const isEach = isRequired && group.logic === 'AND';
    const conditions = group.filters.map((item) =>
      'filters' in item ? this.group(item, isEach) : this.leaf(item, isEach),
    );
    return `(${conditions.join(` ${group.logic} `)})`;
  }

  private leaf(leaf: FilterLeaf, isRequired: boolean): string {
    const field = TRACE_FIELDS[leaf.field]!;
    if (field.level === 'trace') return this.traceLeaf(leaf, field);
    // "is not" asks for traces in which no span is; a span without a value is asked for by "is empty".
    const denies = leaf.negated && leaf.condition.kind !== 'filled';
    if (!denies) return this.someSpanIs(leaf, field, isRequired);
    return `(${this.someSpanIs({ ...leaf, negated: false }, field, false)} IS NOT TRUE)`;
  }

  private traceLeaf(given: FilterLeaf, field: TraceLevelField): string {
    if (field.searched) this.searched = true;
    const leaf = normalized({ ...given, negated: false }, field);
    const facets = facetsOf(this.workspace, leaf, field);
    const exact = plainLeafSql(leaf, field, this.parameters);
    const positive = facets ? this.withFacets(facets, exact) : exact;
    return given.negated ? `(${positive} IS NOT TRUE)` : positive;
  }

  /** A trace carries the values of all its spans, so one value needs no look at them. */
  private someSpanIs(leaf: FilterLeaf, field: TraceField, isRequired: boolean): string {
    const group: FilterGroup = { logic: 'AND', filters: [leaf] };
    const facets = leaf.negated ? null : facetsOf(this.workspace, normalized(leaf, field), field);
    return facets ? this.withFacets(facets, this.exists(group)) : this.someSpan(group, isRequired);
  }

  /** Several conditions on one span: the indexes narrow the traces down, then their spans are looked at. */
  private someSpan(group: FilterGroup, isRequired: boolean): string {
    this.testsSpans = true;
    if (isRequired && !this.narrows) return this.exists(group);
    const listed = this.listed.get(group);
    if (listed) {
      return `(t.trace_id = ANY(${this.parameters.add(listed)}::text[]) AND ${this.exists(group)})`;
    }
    const required = requirementsOf(this.workspace, group);
    if (required.length > 0) this.searched = true;
    const conditions = required.map((each) => mayFulfil(this.workspaceId, each, this.parameters));
    return `(${[...conditions, this.exists(group)].join(' AND ')})`;
  }

  private exists(group: FilterGroup): string {
    const scope = new SpanScope(this.workspaceId, this.parameters);
    const condition = scope.group(group);
    return scope.exists(condition, { oneByOne: !this.narrows });
  }

  private withFacets(facets: string[], exact: string): string {
    this.searched = true;
    return `(${mayHold(this.workspaceId, facets, this.parameters)} AND (NOT x.facets_cut OR ${exact}))`;
  }
}
