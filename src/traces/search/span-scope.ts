import type { FilterGroup, FilterLeaf } from '../../platform/filters/grammar.js';
import type { SqlParameters } from '../../platform/filters/sql-parameters.js';
import { facetsOf, normalized, plainLeafSql } from './leaf-conditions.js';
import { type SpanAlias, type SpanLevelField, TRACE_FIELDS } from './trace-fields.js';
import { sizeFacetsOf } from './trace-questions.js';

/**
 * Whether a trace has one of some spans. OFFSET 0 keeps the planner from collecting the spans of all traces instead, as
 * it does where it expects most traces to be tested.
 */
export const someSpanOf = (spans: string): string => `EXISTS (SELECT FROM ${spans} OFFSET 0)`;

/** Makes conditions about one span of a trace `t`. All groups in it are about that same span. */
export class SpanScope {
  private readonly aliases = new Set<SpanAlias>();

  constructor(
    private readonly workspaceId: number,
    private readonly parameters: SqlParameters,
  ) {}

  group(group: FilterGroup): string {
    if (group.filters.length === 0) return 'TRUE';
    const logic = group.logic.endsWith('AND') ? 'AND' : 'OR';
    const conditions = group.filters.map((item) => ('filters' in item ? this.group(item) : this.leaf(item)));
    return `(${conditions.join(` ${logic} `)})`;
  }

  /** Whether the trace has a span that fulfils the condition. */
  exists(condition: string): string {
    const { tables, first, ofWorkspace } = this.from();
    return someSpanOf(`${tables} WHERE ${ofWorkspace} AND ${first}.trace_id = t.trace_id AND ${condition}`);
  }

  /** The same for a condition that few spans of the workspace meet: these are found first, and then their traces. */
  isOneOfFew(condition: string): string {
    const { tables, first, ofWorkspace } = this.from();
    return `t.trace_id IN (SELECT ${first}.trace_id FROM ${tables} WHERE ${ofWorkspace} AND ${condition})`;
  }

  private leaf(given: FilterLeaf): string {
    const field = TRACE_FIELDS[given.field] as SpanLevelField;
    const positive = this.positive(normalized({ ...given, negated: false }, field), field);
    return given.negated ? `(${positive} IS NOT TRUE)` : positive;
  }

  private positive(leaf: FilterLeaf, field: SpanLevelField): string {
    const facets = field.ownFacet ? facetsOf({ workspaceId: this.workspaceId }, leaf, field) : null;
    if (facets) return this.hasFacet(facets);
    for (const alias of field.from) this.aliases.add(alias);
    const exact = plainLeafSql(leaf, field, this.parameters);
    const sizes = sizeFacetsOf(this.workspaceId, leaf, field);
    return sizes ? `(${this.hasFacet(sizes)} AND ${exact})` : exact;
  }

  private hasFacet(facets: string[]): string {
    this.aliases.add('d');
    return facets.length === 1
      ? `d.facets @> ARRAY[${this.parameters.add(facets[0])}::text]`
      : `d.facets && ${this.parameters.add(facets)}::text[]`;
  }

  private from(): { tables: string; first: SpanAlias; ofWorkspace: string } {
    const workspaceId = `${this.parameters.add(this.workspaceId)}::int`;
    const first = this.aliases.has('d') ? 'd' : 's';
    const tables = [first === 'd' ? 'span_search d' : 'spans s'];
    if (first === 'd' && (this.aliases.has('s') || this.aliases.has('r'))) {
      tables.push(
        `JOIN spans s ON s.workspace_id = ${workspaceId} AND s.trace_id = d.trace_id AND s.span_id = d.span_id`,
      );
    }
    if (this.aliases.has('r')) {
      tables.push(`LEFT JOIN span_sources r ON r.workspace_id = ${workspaceId} AND r.hash = s.source_hash`);
    }
    return { tables: tables.join(' '), first, ofWorkspace: `${first}.workspace_id = ${workspaceId}` };
  }
}
