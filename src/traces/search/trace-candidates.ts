import type { ReadTraceQuery } from './read-trace-query.js';
import type { EntityManager } from 'typeorm';
import { expectedRows } from '../../platform/database/query-plan.js';
import { SqlParameters } from '../../platform/filters/sql-parameters.js';
import type { WordRun } from '../../requests/index.js';
import { type Requirement, requirementsOf, type SearchedWorkspace } from './requirements.js';
import { cutFacet } from './trace-facets.js';
import { mayHaveTexts } from './trace-text.js';

/** The traces that can match a query. */
export interface Candidates {
  /** Makes a condition over `trace_search` x that they fulfil, and that its indexes answer. */
  condition: (parameters: SqlParameters) => string;
  /** How many entries of an index, each with the workspace in it, the condition asks for. */
  entries: number;
  /** Runs of words that all of them have, see `WordRuns`, if they are not listed already. */
  runs: readonly WordRun[];
}

/** `listed`: the only traces that can match, as far as they have been looked up. null when no index can tell. */
export function candidatesOf(
  workspace: SearchedWorkspace,
  { group, text }: ReadTraceQuery,
  listed: string[][],
): Candidates | null {
  const { workspaceId } = workspace;
  const ofText = text && text.words.length > 0 ? [text] : [];
  const required = [...ofText, ...(group ? requirementsOf(workspace, group) : [])];
  if (listed.length === 0 && required.length === 0) return null;
  const condition = (parameters: SqlParameters) => {
    const own = `x.workspace_id = ${parameters.add(workspaceId)}::int`;
    // What stands in a list need not be looked for in an index as well.
    const conditions =
      listed.length > 0
        ? listed.map((ids) => `x.trace_id = ANY(${parameters.add(ids)}::text[])`)
        : required.map((each) => mayFulfil(workspaceId, each, parameters));
    return [own, ...conditions].join(' AND ');
  };
  if (listed.length > 0) return { condition, entries: 0, runs: [] };
  const runs = required.flatMap((each) => ('runs' in each ? each.runs : []));
  return { condition, entries: countEntries(required), runs };
}

/** Alternatives are as likely as one of them by itself, more or less. */
function countEntries(required: Requirement[]): number {
  return required.reduce((sum, each) => sum + ('words' in each ? each.words.length : 1), 0);
}

/**
 * How many candidates there may be, of how many traces. The planner does not know that an entry of an index with a workspace
 * in it is one of that workspace, and takes the share of the workspace for every one of them again.
 */
export async function expectCandidates(
  db: EntityManager,
  workspaceId: number,
  { condition, entries }: Candidates,
): Promise<{ expectedCandidates: number; expectedTraces: number }> {
  const parameters = new SqlParameters();
  const candidates = { from: `trace_search x WHERE ${condition(parameters)}`, values: parameters.values };
  const [expected, own, all] = await Promise.all([
    expectedRows(db, candidates),
    expectedRows(db, { from: 'trace_search x WHERE x.workspace_id = $1', values: [workspaceId] }),
    expectedRows(db, { from: 'trace_search x', values: [] }),
  ]);
  const corrected = Math.round(expected * (all / own) ** entries);
  return { expectedCandidates: Math.min(own, corrected), expectedTraces: own };
}

/** Over `trace_search` x: holds for every trace that has what is required. */
export function mayFulfil(workspaceId: number, requirement: Requirement, parameters: SqlParameters): string {
  if ('alternatives' in requirement) {
    return `(${requirement.alternatives.map((each) => mayFulfil(workspaceId, each, parameters)).join(' OR ')})`;
  }
  if ('words' in requirement) return mayHaveTexts(workspaceId, requirement, parameters);
  return mayHold(workspaceId, requirement.facets, parameters);
}

/** A trace with more values than are kept may hold any. */
export function mayHold(workspaceId: number, facets: string[], parameters: SqlParameters): string {
  return `x.facets && ${parameters.add([...facets, cutFacet(workspaceId)])}::text[]`;
}
