import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Problem } from '../../platform/errors/problem.js';
import type { JsonValue } from '../../platform/json.js';
import { readJson } from '../../platform/read-json.js';
import { withoutNoise } from '../../platform/numbers.js';
import type { CellContext, TakenElsewhere } from '../../grid/column-type/cell-context.js';
import { CellFailure } from '../../grid/column-type/column-type.js';
import { canonicalJson } from '../../grid/column-type/values.js';
import type { RunSteps } from '../../tables/index.js';
import { WorkflowRunSheet } from '../runs/workflow-run.entity.js';
import { getRun } from '../runs/run-canceller.js';
import { traceOfRun } from '../runs/run-owner.js';
import { errorOf, findOutput, RunResults } from '../runs/run-results.js';
import { RunStarter } from '../runs/run-starter.js';
import { getVersion } from '../registry/workflows.queries.js';
import type { WorkflowVersion } from '../registry/workflow.entity.js';
import { AwaitedRuns } from './awaited-runs.js';
import { inputsFromCells } from './cell-inputs.js';

/** Maximum depth to which runs can start other runs. */
const MOST_DEPTH = 5;

/** The workflow and the version that a config asks for. */
export interface WorkflowChoice {
  workflow_id: number;
  workflow_version_number?: number | null;
  workflow_label?: string | null;
}

export interface NestedRun {
  choice: WorkflowChoice;
  /** The values of inputs. */
  mapped: Map<string, JsonValue>;
  /** The config key that maps them, for messages. */
  key: string;
  /** Distinguishes the runs of one cell. */
  part: string;
}

/** Runs that cells start and wait for. A cell that another worker takes over finds the run that it has started. */
@Injectable()
export class NestedRuns {
  constructor(
    private readonly db: DataSource,
    private readonly starter: RunStarter,
    private readonly awaited: AwaitedRuns,
    private readonly results: RunResults,
  ) {}

  /** Returns the output of a run and adds its cost and tokens to the cell. Throws a CellFailure when there is no output. */
  async run(nested: NestedRun, context: CellContext): Promise<JsonValue> {
    const { workspaceId } = context;
    const id = await this.start(nested, context);
    await context.away(this.awaited.wait(id, context));
    const run = await getRun(this.db.manager, workspaceId, id);
    const found = await this.results.find(run);
    context.count(taken(found, traceOfRun(run).traceId));
    const output = findOutput(found.steps);
    if (output) return output.value === null ? null : readJson(await filled(found, output.value));
    const failed = found.steps.find((step) => errorOf(run, step) !== null);
    const why = failed ? `"${failed.column.title}" failed: ${errorOf(run, failed)}` : 'every output node was skipped.';
    throw new CellFailure(`The workflow has no output: ${why}`);
  }

  private async start({ choice, mapped, key, part }: NestedRun, context: CellContext): Promise<string> {
    const { workspaceId, executionId, column, rowIndex } = context;
    const depth = await this.depthOf(context);
    const version = await this.findVersion(workspaceId, choice);
    const inputs = asFailure(() => inputsFromCells(version.requiredInputVariables, mapped, key));
    // Without the version number: a worker that takes the cell over must find the run even if a later version was saved.
    const cause = digest([executionId, column.id, rowIndex, part, { ...choice }, inputs]);
    const nobody = { metadata: {}, callbackUrl: null, channel: null, returnAllOutputs: false, startedBy: null };
    const run = { version, depth, inputs, cause, asksAgain: context.asksAgain, ...nobody };
    return this.starter.start(run).catch((error: unknown) => {
      throw error instanceof Problem ? new CellFailure(error.message) : error;
    });
  }

  /** Depth of the run that a cell starts. Each depth has separate sheets, so cells never wait for cells of their own column. */
  private async depthOf({ workspaceId, sheet }: CellContext): Promise<number> {
    const outer = await this.db.manager.findOneBy(WorkflowRunSheet, { workspaceId, sheetId: sheet.id });
    const depth = (outer?.depth ?? 0) + 1;
    if (depth > MOST_DEPTH) {
      throw new CellFailure(`Workflows can run each other ${MOST_DEPTH} deep. This one would be deeper.`);
    }
    return depth;
  }

  private async findVersion(workspaceId: number, choice: WorkflowChoice): Promise<WorkflowVersion> {
    const { workflow_id: id, workflow_version_number: version, workflow_label: label } = choice;
    try {
      return (await getVersion(this.db.manager, workspaceId, String(id), { version, label })).version;
    } catch (error) {
      throw error instanceof Problem ? new CellFailure(error.message) : error;
    }
  }
}

function asFailure<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new CellFailure((error as Error).message);
  }
}

function digest(of: JsonValue[]): string {
  return createHash('sha256').update(canonicalJson(of)).digest('hex');
}

async function filled({ large }: RunSteps, value: string): Promise<string> {
  let text = '';
  for await (const piece of large.fill(value)) text += piece;
  return text;
}

/** Sums the cost and the tokens of all nodes of a run. */
function taken({ steps }: RunSteps, traceId: string): TakenElsewhere {
  const metrics = steps.flatMap((step) => step.metrics ?? []);
  const sum = (of: 'price' | 'input_tokens' | 'output_tokens'): number | null => {
    const told = metrics.flatMap((each) => each[of] ?? []);
    return told.length === 0 ? null : withoutNoise(told.reduce((total, number) => total + number, 0));
  };
  return {
    request_ids: [...new Set(metrics.flatMap(({ request_ids }) => request_ids))],
    price: sum('price'),
    input_tokens: sum('input_tokens'),
    output_tokens: sum('output_tokens'),
    trace_ids: [traceId],
  };
}
