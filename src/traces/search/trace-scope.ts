import type { FilterGroup, FilterLeaf } from '../../platform/filters/grammar.js';
import type { SqlParameters } from '../../platform/filters/sql-parameters.js';
import { facetsOf, normalized, plainLeafSql } from './leaf-conditions.js';
import { SpanScope } from './span-scope.js';
import { cutFacet } from './trace-facets.js';
import { type FacetedWorkspace, TRACE_FIELDS, type TraceField, type TraceLevelField } from './trace-fields.js';
import { asksForIds } from './trace-questions.js';

/** Makes conditions about a trace, over `traces` t and `trace_search` x. */
export class TraceScope {
  /** True once a condition needs `trace_search`. */
  searched = false;

  constructor(
    private readonly workspace: FacetedWorkspace,
    private readonly parameters: SqlParameters,
  ) {}

  group(group: FilterGroup): string {
    if (group.filters.length === 0) return 'TRUE';
    if (group.logic.startsWith('SPAN_')) return this.someSpan(group);
    const conditions = group.filters.map((item) => ('filters' in item ? this.group(item) : this.leaf(item)));
    return `(${conditions.join(` ${group.logic} `)})`;
  }

  private leaf(leaf: FilterLeaf): string {
    const field = TRACE_FIELDS[leaf.field]!;
    if (field.level === 'trace') return this.traceLeaf(leaf, field);
    // "is not" matches traces in which no span has the value; "is empty" matches a span without a value.
    const denies = leaf.negated && leaf.condition.kind !== 'filled';
    if (!denies) return this.someSpanIs(leaf, field);
    return `(${this.someSpanIs({ ...leaf, negated: false }, field)} IS NOT TRUE)`;
  }

  private traceLeaf(given: FilterLeaf, field: TraceLevelField): string {
    if (field.searched) this.searched = true;
    const leaf = normalized({ ...given, negated: false }, field);
    const facets = facetsOf(this.workspace, leaf, field);
    const exact = plainLeafSql(leaf, field, this.parameters);
    const positive = facets ? this.withFacets(facets, exact) : exact;
    return given.negated ? `(${positive} IS NOT TRUE)` : positive;
  }

  /** A trace carries the values of all its spans, so the spans need not be checked for one value. */
  private someSpanIs(leaf: FilterLeaf, field: TraceField): string {
    const group: FilterGroup = { logic: 'AND', filters: [leaf] };
    const facets = leaf.negated ? null : facetsOf(this.workspace, normalized(leaf, field), field);
    return facets ? this.withFacets(facets, this.someSpan(group)) : this.someSpan(group);
  }

  private someSpan(group: FilterGroup): string {
    const scope = new SpanScope(this.workspace.workspaceId, this.parameters);
    const condition = scope.group(group);
    return asksForIds(group) ? scope.isOneOfFew(condition) : scope.exists(condition);
  }

  /** A trace with more values than are kept may hold any. */
  private withFacets(facets: string[], exact: string): string {
    this.searched = true;
    const all = this.parameters.add([...facets, cutFacet(this.workspace.workspaceId)]);
    return `(x.facets && ${all}::text[] AND (NOT x.facets_cut OR ${exact}))`;
  }
}
