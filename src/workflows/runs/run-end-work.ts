import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type ClaimedRow, RowWork, type WorkTable } from '../../platform/work/row-work.js';
import { AttemptsSpent, WorkAborted, type WorkControl } from '../../platform/work/work-kind.js';
import { OwnSpans } from '../../traces/index.js';
import { RunCallbacks } from './run-callbacks.js';
import { RunResults } from './run-results.js';
import { spansOfRun } from './run-spans.js';
import { type WorkflowRun, WorkflowRunEnd } from './workflow-run.entity.js';

export const RUN_END_ROWS: WorkTable = {
  name: 'workflow run end',
  table: 'workflow_run_ends',
  idType: 'bigint',
  open: `w.status IN ('queued', 'running') AND w.next_try_at <= now()`,
  claimed: 'tries = tries',
  givenBack: `status = 'queued'`,
};

/** Maximum bytes of results in a callback. The client has to fetch larger ones. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Stores the spans of runs that have ended, and sends the callbacks to clients. */
@Injectable()
export class RunEndWork extends RowWork<WorkflowRunEnd> {
  /** Slow servers of one customer must not take all slots. */
  readonly mostOfOneWorkspace = 4;

  constructor(
    db: DataSource,
    private readonly results: RunResults,
    private readonly spans: OwnSpans,
    private readonly callbacks: RunCallbacks,
  ) {
    super(db, RUN_END_ROWS, WorkflowRunEnd);
  }

  async work(claim: ClaimedRow, { signal }: WorkControl): Promise<void> {
    const end = await this.find(claim);
    const run = end.run!;
    if (!end.isTraced) await this.trace(run);
    if (run.callbackUrl === null) return this.remove(claim);
    if (!end.isTraced) await this.update(this.db.manager, claim, { isTraced: true });
    signal.throwIfAborted();
    await this.call(claim, { run, url: run.callbackUrl, tries: end.tries + 1 }, signal);
  }

  /** Skips a step that has failed five times. */
  async fail(claim: ClaimedRow, error: unknown): Promise<void> {
    if (!(error instanceof AttemptsSpent)) throw error;
    const { workspaceId, id } = claim;
    const end = await this.db.manager.findOneBy(WorkflowRunEnd, { workspaceId, id });
    this.log.error(`The ${end?.isTraced ? 'callback' : 'trace'} of workflow run ${id} was given up: ${error.message}`);
    await (end?.isTraced ? this.remove(claim) : this.requeue(this.db.manager, claim, { isTraced: true }));
  }

  /** Reads the row with its run, the workflow and the version number. Rejects when the claim is lost. */
  private async find({ workspaceId, id, claim }: ClaimedRow): Promise<WorkflowRunEnd> {
    const end = await this.db.manager
      .createQueryBuilder(WorkflowRunEnd, 'e')
      .innerJoinAndSelect('e.run', 'run')
      .innerJoinAndSelect('run.workflow', 'workflow')
      .innerJoin('run.workflowVersion', 'version')
      .addSelect(['version.workspaceId', 'version.id', 'version.number'])
      .where({ workspaceId, id, claim })
      .getOne();
    if (!end) throw new WorkAborted('lease_lost');
    return end;
  }

  private async trace(run: WorkflowRun): Promise<void> {
    const { workspaceId, workflow, workflowVersion: version } = run;
    const found = await this.results.find(run);
    const spans = spansOfRun({ run, workflow: workflow!, version: version! }, found);
    await this.spans.store({ workspaceId, origin: 'workflow' }, spans);
  }

  private async call(
    claim: ClaimedRow,
    { run, url, tries }: { run: WorkflowRun; url: string; tries: number },
    signal: AbortSignal,
  ): Promise<void> {
    const output = await this.results.nodesText(run, MOST_BYTES);
    const code = output === null ? ',"result_code":"EXCEEDS_SIZE_LIMIT"' : '';
    const body = `{"workflow_version_execution_id":${run.id},"final_output":${output}${code}}`;
    const problem = await this.callbacks.send(url, body, signal);
    if (problem === null) return this.remove(claim);
    const wait = this.callbacks.waitAfter(tries);
    this.log.debug(`The callback of workflow run ${run.id} failed, try ${tries}: ${problem}`);
    if (wait === null) return this.remove(claim);
    const nextTryAt = () => `now() + ${wait} * interval '1 millisecond'`;
    await this.requeue(this.db.manager, claim, { tries, nextTryAt });
  }

  private async remove({ workspaceId, id, claim }: ClaimedRow): Promise<void> {
    const { affected } = await this.db.manager.delete(WorkflowRunEnd, { workspaceId, id, claim, status: 'running' });
    if (affected === 0) throw new WorkAborted('lease_lost');
  }
}
