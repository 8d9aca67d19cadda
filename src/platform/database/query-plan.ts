import type { EntityManager } from 'typeorm';

/** A node of the plan of a statement, as EXPLAIN gives it. */
export interface QueryPlan {
  'Node Type': string;
  'Plan Rows': number;
  'Total Cost': number;
  'Relation Name'?: string;
  Plans?: QueryPlan[];
}

/** How the database would run a statement. It is not run. */
export async function planOf(db: EntityManager, sql: string, values: readonly unknown[]): Promise<QueryPlan> {
  const [row] = await db.query<[{ 'QUERY PLAN': [{ Plan: QueryPlan }] }]>(`EXPLAIN (FORMAT JSON) ${sql}`, [...values]);
  return row['QUERY PLAN'][0].Plan;
}

/** What stands after FROM, with its conditions, and the values of its placeholders. */
export interface PlannedRows {
  from: string;
  values: readonly unknown[];
}

/** How many rows the planner expects, from its statistics. */
export async function expectedRows(db: EntityManager, { from, values }: PlannedRows): Promise<number> {
  return (await planOf(db, `SELECT FROM ${from}`, values))['Plan Rows'];
}

/** The nodes of a plan from the top down. */
export function nodesOf(plan: QueryPlan): QueryPlan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}
