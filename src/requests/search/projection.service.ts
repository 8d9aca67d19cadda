import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { addArrivedLogs, ArrivalListeners } from '../../arrivals/index.js';
import { repeatableTransaction } from '../../platform/database/repeatable-transaction.js';
import { groupBySize } from '../../platform/group-by.js';
import { WorkspaceTurns } from '../../platform/queue/workspace-turns.js';
import {
  addSegment,
  forgetDocuments,
  isWord,
  lockIndex,
  mergeSegments,
  type Segment,
  SegmentBuilder,
} from '../../text-search/index.js';
import { type KeptWords, Vocabulary } from '../../words/index.js';
import { facetsOf } from '../shared/facets.js';
import { deriveFacts } from '../../llm/records/conversation-facts.js';
import { documentOf, LOGS } from './log-document.js';
import {
  claimQueued,
  type Description,
  describeLogs,
  lockUnchanged,
  type QueuedKey,
  type QueuedLog,
  readQueued,
  removeQueued,
  sizesOf,
  waitingWorkspaces,
} from './projection.queries.js';

/** Time limit of a run, so that a stopping process need not wait for long. */
const LONGEST_RUN_MS = 5000;

/**
 * Stored bytes of messages that are read together: few enough to be released before they reach the old generation. A
 * single log may be larger.
 */
const PIECE_BYTES = 1024 * 1024;

/** Facts of a log that are kept until the end of the batch, without its messages. */
interface Projected extends QueuedKey {
  version: string;
  description: Description | null;
}

/**
 * Moves logs from the queue into the index. Any number of workers may do so concurrently; one that dies loses nothing.
 * This is no claimed work: a batch locks its rows in a single short transaction, so it needs no lease.
 */
@Injectable()
export class ProjectionService implements OnModuleDestroy {
  private readonly log = new Logger(ProjectionService.name);
  private readonly turns = new WorkspaceTurns('Indexing the request logs', LONGEST_RUN_MS);
  private isStopping = false;

  constructor(
    private readonly db: DataSource,
    private readonly vocabulary: Vocabulary,
    private readonly arrivals: ArrivalListeners,
  ) {}

  /** A stopping process finishes the current batch. */
  onModuleDestroy(): void {
    this.isStopping = true;
  }

  /** Returns true when it stopped before it had processed everything that waits. */
  async drain(): Promise<boolean> {
    let isDone = true;
    await this.turns.take(await waitingWorkspaces(this.db.manager), async (workspaceId) => {
      isDone = false;
      // Logs with a concurrent change stay queued. Their writer notifies when it is done.
      const projected = this.isStopping ? 0 : await this.projectBatch(workspaceId);
      isDone = projected === 0;
      return !isDone;
    });
    return !isDone;
  }

  /** The number of logs that were added; 0 when none is left except those of other workers. */
  private async projectBatch(workspaceId: number): Promise<number> {
    let isRead = false;
    const done = await repeatableTransaction(this.db, async (tx) => {
      const claimed = await claimQueued(tx, workspaceId);
      if (claimed.length === 0) return 0;
      const builder = new SegmentBuilder();
      const projected: Projected[] = [];
      const missing: QueuedKey[] = [];
      for (const piece of await this.piecesOf(tx, claimed)) {
        // The others stay queued.
        if (builder.isFull) break;
        const logs = await readQueued(tx, piece);
        missing.push(...missingFrom(logs, piece));
        projected.push(...this.add(logs, builder));
      }
      const segment = builder.finish();
      // Runs before the logs are locked: it needs another connection, and all may be held by requests that wait for
      // these logs.
      const kept = await this.keepWords(workspaceId, segment);
      const unchanged = await lockUnchanged(tx, projected);
      await describeLogs(tx, descriptionsOf(projected, unchanged));
      const added = await removeQueued(tx, [...unchanged, ...missing]);
      await this.write(tx, kept, { segment, missing });
      isRead = await addArrivedLogs(tx, workspaceId, added);
      return unchanged.length + missing.length;
    });
    if (isRead) this.arrivals.notify(workspaceId);
    if (done > 0) await mergeSegments(this.db, { workspaceId, kind: LOGS });
    return done;
  }

  private async piecesOf(tx: EntityManager, keys: QueuedKey[]): Promise<QueuedKey[][]> {
    const sizes = await sizesOf(tx, keys);
    const sized = keys.map((key, index) => ({ key, size: sizes[index]! }));
    return groupBySize(sized, PIECE_BYTES).map((piece) => piece.map(({ key }) => key));
  }

  /** Adds logs until the segment is full, and returns the added ones. */
  private add(logs: QueuedLog[], builder: SegmentBuilder): Projected[] {
    const projected: Projected[] = [];
    for (const log of logs) {
      if (builder.isFull) break;
      const description = describe(log);
      const onFailure = (error: unknown) =>
        this.log.error(`The words of request log ${log.logId} cannot be indexed: ${String(error)}`);
      builder.add(documentOf({ ...log, facets: description?.facets ?? log.facets }, onFailure));
      projected.push({ workspaceId: log.workspaceId, logId: log.logId, version: log.version, description });
    }
    return projected;
  }

  private async write(
    tx: EntityManager,
    kept: KeptWords,
    { segment, missing }: { segment: Segment; missing: QueuedKey[] },
  ): Promise<void> {
    const index = { workspaceId: kept.workspaceId, kind: LOGS };
    await lockIndex(tx, index);
    await this.vocabulary.confirm(tx, kept);
    await forgetDocuments(
      tx,
      index,
      missing.map(({ logId }) => logId),
    );
    if (segment.documents > 0) await addSegment(tx, index, segment);
  }

  private keepWords(workspaceId: number, { terms, high }: Segment): Promise<KeptWords> {
    const words = terms.map(([term]) => term).filter(isWord);
    return this.vocabulary.keep(workspaceId, words, high / 1000);
  }
}

function describe({ workspaceId, logId, input, output, undescribed }: QueuedLog): Description | null {
  if (!undescribed) return null;
  const facts = deriveFacts({ input, output }, undescribed.variables);
  const { promptId, promptVersionNumber } = undescribed;
  const link =
    promptId === null || promptVersionNumber === null ? null : { promptId, versionNumber: promptVersionNumber };
  return {
    workspaceId,
    logId,
    facts,
    facets: facetsOf({ ...undescribed, workspaceId, toolNames: facts.toolNames, environment: null }, link),
  };
}

const keyOf = ({ workspaceId, logId }: QueuedKey): string => `${workspaceId}:${logId}`;

function descriptionsOf(projected: Projected[], unchanged: QueuedKey[]): Description[] {
  const keys = new Set(unchanged.map(keyOf));
  return projected.flatMap((log) => (log.description && keys.has(keyOf(log)) ? [log.description] : []));
}

/** Logs that were deleted while they were queued. */
function missingFrom(found: QueuedKey[], claimed: QueuedKey[]): QueuedKey[] {
  const keys = new Set(found.map(keyOf));
  return claimed.filter((key) => !keys.has(keyOf(key)));
}
