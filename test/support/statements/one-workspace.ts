import { clockInWrites } from './clock-in-writes.js';
import { DISTRIBUTED, PARTITIONS, type PartitionedDatabase } from './partitioned-database.js';

/** A node of a plan, as EXPLAIN writes it. */
interface PlanNode {
  'Node Type': string;
  'Parent Relationship'?: string;
  Operation?: string;
  Schema?: string;
  'Relation Name'?: string;
  Output?: string[];
  Plans?: PlanNode[];
}

const UNDEFINED_TABLE = '42P01';

/** A parameter that is said to be the workspace. */
const WORKSPACE = /\bworkspace_id"?\s*=\s*\$(\d+)\b/gi;
const EXPLAINED = /^\s*(?:SELECT|WITH|INSERT|UPDATE|DELETE|MERGE)\b/i;
const CURSOR = /^\s*DECLARE\s[^]*?\sFOR\s/i;

/** Rows of other parts of the statement, which are looked at themselves, and rows that each name their values. */
const PASSED_ON = ['CTE Scan', 'Values Scan'];

/** A parameter or a number, whatever its type. */
const ONE_VALUE = /^\(*(?:\$\d+|'?\d+'?)\)*(?:::\w+)?$/;

/**
 * The rule that every statement is of one workspace: it names the workspace as a parameter at every table that it reads
 * and writes, so that a database that spreads its rows by workspace can send it to one node.
 */
export class OneWorkspaceRule {
  private constructor(
    private readonly db: PartitionedDatabase,
    /** The position of the workspace among the columns, by table. */
    private readonly positions: Map<string, number>,
  ) {}

  static async over(db: PartitionedDatabase): Promise<OneWorkspaceRule> {
    const columns = await db.query<{ name: string; position: number }>(
      `SELECT t.name, a.attnum::int AS position FROM (${DISTRIBUTED}) AS t
         JOIN pg_attribute a ON a.attrelid = t.oid AND a.attname = 'workspace_id'`,
    );
    return new OneWorkspaceRule(db, new Map(columns.map(({ name, position }) => [name, position])));
  }

  /**
   * Reasons why a statement does not concern a single workspace. Empty when there are none, and for statements that
   * read no tables.
   */
  async problems(text: string): Promise<string[]> {
    const statement = text.replace(CURSOR, '');
    if (!EXPLAINED.test(statement)) return [];
    return [...(await this.problemsOfPlan(statement)), ...clockInWrites(statement)];
  }

  private async problemsOfPlan(statement: string): Promise<string[]> {
    let plan: PlanNode;
    try {
      plan = await this.explain(withOneWorkspace(statement));
    } catch (error) {
      // Tests make tables of their own, which they drop again.
      if ((error as { code?: string }).code === UNDEFINED_TABLE) return [];
      return [`cannot be explained: ${(error as Error).message}`];
    }
    const nodes = [...nodesOf(plan)];
    const read = tablesOfSeveral(nodes);
    const problems = read.length > 0 ? [`reads or writes several workspaces in ${read.join(', ')}`] : [];
    const inserted = nodes.filter((node) => this.insertsSeveral(node)).map((node) => node['Relation Name']!);
    return inserted.length > 0
      ? [...problems, `inserts rows of several workspaces into ${inserted.join(', ')}`]
      : problems;
  }

  private async explain(statement: string): Promise<PlanNode> {
    const [row] = await this.db.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
      `EXPLAIN (GENERIC_PLAN, VERBOSE, COSTS OFF, FORMAT JSON) ${statement}`,
    );
    return row!['QUERY PLAN'][0]!.Plan;
  }

  /** The workspace of new rows is neither a parameter nor that of the rows of one workspace that are read. */
  private insertsSeveral({ Operation, Plans = [], ...node }: PlanNode): boolean {
    const position = this.positions.get(node['Relation Name'] ?? '');
    if (Operation !== 'Insert' || position === undefined) return false;
    return Plans.filter(isSource).some((source) => {
      const isPassedOn = [...nodesOf(source)].some(
        ({ Schema, 'Node Type': type }) => PARTITIONS.includes(Schema ?? '') || PASSED_ON.includes(type),
      );
      return !isPassedOn && !namesWorkspace(source, position - 1);
    });
  }
}

const isSource = (child: PlanNode): boolean => child['Parent Relationship'] === 'Outer';

/** Whether rows have one value as their workspace. Selections begin with it, whatever its position in the table. */
function namesWorkspace({ Output = [], Plans = [] }: PlanNode, position: number): boolean {
  if (ONE_VALUE.test(Output[position] ?? '')) return true;
  return Plans.some(
    (child) => (isSource(child) || child['Parent Relationship'] === 'Subquery') && namesWorkspace(child, 0),
  );
}

/** PostgreSQL leaves out partitions while it plans only where it knows the value. */
function withOneWorkspace(statement: string): string {
  const workspaces = new Set([...statement.matchAll(WORKSPACE)].map(([, number]) => number!));
  return statement.replace(/\$(\d+)\b/g, (parameter, number: string) => (workspaces.has(number) ? '1' : parameter));
}

function* nodesOf(node: PlanNode): Generator<PlanNode> {
  yield node;
  for (const child of node.Plans ?? []) yield* nodesOf(child);
}

/** Tables of which a plan has a partition, when it has more than one partition altogether. */
function tablesOfSeveral(nodes: PlanNode[]): string[] {
  const partitioned = nodes.filter(({ Schema }) => PARTITIONS.includes(Schema ?? ''));
  if (new Set(partitioned.map(({ Schema }) => Schema)).size < 2) return [];
  const found = new Map<string, Set<string>>();
  for (const node of partitioned) {
    const table = node['Relation Name']!;
    found.set(table, (found.get(table) ?? new Set()).add(node.Schema!));
  }
  return [...found]
    .filter(([, parts]) => parts.size > 1)
    .map(([table]) => table)
    .sort();
}
