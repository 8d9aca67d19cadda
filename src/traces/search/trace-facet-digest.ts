import { nestedMetadata } from '../../llm/records/nested-metadata.js';
import type { JsonObject } from '../../platform/json.js';
import { scalarsOf } from './scalar-values.js';
import type { SpanFindings } from './span-findings.js';
import { type ReadSpan, tagsOf, type TraceSummary } from './trace-digest.js';
import { facet, keyedFacet, type KeyedFacetKind, TraceFacets } from './trace-facets.js';

/** The facets of a trace, and whether it has more than are kept. */
export interface FacetsOfTrace {
  facets: string[];
  facetsCut: boolean;
}

/** Collects the facets of a trace from its spans, in the order of `byStart`. */
export class TraceFacetDigest {
  private readonly facets: TraceFacets;
  /** Resources that were added already: spans share them. */
  private readonly resources = new WeakSet<JsonObject>();

  constructor(private readonly workspaceId: number) {
    this.facets = new TraceFacets(workspaceId);
  }

  /** `ofSpan` are the facets of the span itself. */
  add({ span, findings }: ReadSpan<SpanFindings>, ofSpan: readonly string[]): void {
    for (const entry of ofSpan) this.facets.add(entry);
    this.addScalars('a', span.attributes);
    this.addTexts('a', findings.attributesDeep);
    if (!this.resources.has(span.resource)) this.addScalars('r', span.resource);
    this.resources.add(span.resource);
    this.addTexts('v', findings.inputVariables);
    for (const path of Object.keys(findings.outputValues ?? {})) {
      this.facets.add(facet(this.workspaceId, 'output-key', path));
    }
    for (const tag of tagsOf(span.call, findings)) this.facets.add(facet(this.workspaceId, 'tag', tag));
  }

  /** `summary` covers all spans that were added. */
  finish({ status, userId, sessionId, metadata }: TraceSummary, environment: string | null): FacetsOfTrace {
    const { workspaceId, facets } = this;
    facets.add(facet(workspaceId, 'trace-status', status));
    if (environment !== null) facets.add(facet(workspaceId, 'environment', environment));
    if (userId !== null) facets.add(facet(workspaceId, 'user', userId));
    if (sessionId !== null) facets.add(facet(workspaceId, 'session', sessionId));
    for (const [key, value] of Object.entries(metadata)) {
      facets.add(facet(workspaceId, 'metadata-key', key));
      this.addValue('m', key, value);
      for (const [path, text] of nestedMetadata(key, value).values) this.addValue('m', path, text);
    }
    return { facets: facets.toList(), facetsCut: facets.cut };
  }

  private addScalars(kind: KeyedFacetKind, values: JsonObject): void {
    for (const key of Object.keys(values)) for (const value of scalarsOf(values[key]!)) this.addValue(kind, key, value);
  }

  private addTexts(kind: KeyedFacetKind, texts: Record<string, string[]> | null): void {
    if (texts === null) return;
    for (const key of Object.keys(texts)) for (const value of texts[key]!) this.addValue(kind, key, value);
  }

  private addValue(kind: KeyedFacetKind, key: string, value: string): void {
    this.facets.add(keyedFacet(this.workspaceId, kind, { key, value }));
  }
}
