import { type PersonalLog, PersonalLogs } from '../requests/index.js';
import type { MadeCalls, PersonalRows, RowsOfSheet } from '../tables/index.js';
import { findReportedLogs, findTracesOfLogs, findTracesOfPerson } from '../traces/index.js';
import { findRowsOfRuns } from '../workflows/index.js';
import type { ErasureRun } from './erasure-run.js';
import { addTargets, fromRowTargets, readTargets } from './targets.queries.js';

interface FoundInSheets {
  portions: RowsOfSheet[];
  rows: number;
  cells: number;
}

/**
 * Finds the traffic and the rows of the person before anything is erased. Follows links until it finds nothing new: a cell names the
 * calls that computed it, and other rows were made of these calls. Returns the rows and their numbers.
 */
export async function findEverything(run: ErasureRun, sheets: PersonalRows): Promise<FoundInSheets> {
  await findTraffic(run);
  await findCallsOfErasedRows(run);
  for (;;) {
    run.signal.throwIfAborted();
    const sought = await run.sought();
    const portions = await sheets.find(sought, await findRowsOfRuns(run.db.manager, sought));
    const all: FoundInSheets = { portions, rows: 0, cells: 0 };
    let found = 0;
    for (const portion of portions) {
      const { rows, cells, ...made } = await sheets.count(run.workspaceId, portion);
      all.rows += rows;
      all.cells += cells;
      found += await addCallsOfRows(run, portion, made);
    }
    if (found === 0) return all;
  }
}

/** Finds the traces and logs of the person, the whole trace of each log, and all logs of each trace. */
async function findTraffic(run: ErasureRun): Promise<void> {
  const { workspaceId, subject } = run;
  const db = run.db.manager;
  const traces = await findTracesOfPerson(db, workspaceId, subject);
  await run.storedAt(traces.map(({ createdAt }) => createdAt));
  const logs = await PersonalLogs.ofPerson(db, workspaceId, subject);
  await addRelated(
    run,
    traces.map(({ id }) => id),
    logs,
  );
}

/** Finds calls that were running when their row was erased: only the place of the row connects them with the person. */
async function findCallsOfErasedRows(run: ErasureRun): Promise<void> {
  for (const { sheetId, rows } of fromRowTargets(await readTargets(run.db.manager, run, 'erased_row')))
    await addRelated(run, [], await logsOfRows(run, { sheetId, rows }));
}

/** Adds the calls that computed cells of erased rows as targets. Returns the number of new targets. */
export async function addCallsOfRows(run: ErasureRun, portion: RowsOfSheet, made: MadeCalls): Promise<number> {
  if (made.since) await run.storedAt([made.since]);
  const named = await logsOfRows(run, portion);
  const logs = await PersonalLogs.ofTraces(run.db.manager, run.workspaceId, { traceIds: [], logIds: made.logIds });
  return addRelated(run, made.traceIds, [...named, ...logs]);
}

function logsOfRows({ db, workspaceId }: ErasureRun, { sheetId, rows }: RowsOfSheet): Promise<PersonalLog[]> {
  return PersonalLogs.ofRows(db.manager, workspaceId, { sheetId, rows: rows.map(({ row }) => row) });
}

async function addRelated(run: ErasureRun, traceIds: string[], logs: PersonalLog[]): Promise<number> {
  const { workspaceId } = run;
  const db = run.db.manager;
  let newTraces = await addTargets(db, run, 'trace', traceIds);
  let newLogs = await addLogs(run, logs);
  let found = 0;
  while (newTraces.length + newLogs.length > 0) {
    found += newTraces.length + newLogs.length;
    const around = await findTracesOfLogs(db, workspaceId, {
      traceIds: newLogs.flatMap(({ traceId }) => traceId ?? []),
      spanIds: newLogs.flatMap(({ spanId }) => spanId ?? []),
    });
    await run.storedAt(around.map(({ createdAt }) => createdAt));
    const reported = await findReportedLogs(db, workspaceId, newTraces);
    const inside = await PersonalLogs.ofTraces(db, workspaceId, { traceIds: newTraces, logIds: reported });
    newTraces = await addTargets(
      db,
      run,
      'trace',
      around.map(({ id }) => id),
    );
    newLogs = await addLogs(run, inside);
  }
  return found;
}

/** Adds logs as targets and returns the new ones. */
async function addLogs(run: ErasureRun, logs: PersonalLog[]): Promise<PersonalLog[]> {
  await run.storedAt(logs.map(({ createdAt }) => createdAt));
  const added = new Set(
    await addTargets(
      run.db.manager,
      run,
      'log',
      logs.map(({ id }) => id),
    ),
  );
  return logs.filter(({ id }) => added.delete(id));
}
