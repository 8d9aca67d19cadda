import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { MergedIndexes } from '../../platform/database/merge-pending.js';
import { repeatableTransaction } from '../../platform/database/repeatable-transaction.js';
import { facetsOf } from '../facets.js';
import { deriveFacts } from './derived.js';
import { type IndexedWords, lexemesOf, UNKNOWN_WORDS, wordsOfCall } from './indexed-words.js';
import {
  claimQueued,
  type Description,
  describeLogs,
  type IndexEntry,
  lockUnchanged,
  type QueuedKey,
  type QueuedLog,
  readQueued,
  removeQueued,
  sizesOf,
  storeWords,
} from './projection.queries.js';
import { type GatheredWords, Vocabulary } from './vocabulary.js';

/** In one go, which takes some seconds. */
const MOST_BATCHES = 5;

/** In logs. */
const MERGED_AT = 1000;

/** Bytes of messages, as stored, that are read at once: few enough to be gone before they grow old. A log may be larger by itself. */
const PIECE_BYTES = 1024 * 1024;

/** What is remembered of a log until the end of the batch: its messages are not. */
interface Projected extends QueuedKey {
  version: string;
  description: Description | null;
}

/**
 * Moves logs from the queue into the text index. Any number of workers may do so at once; one that dies loses nothing. This
 * is no claimed work: a batch holds the locks of its rows in a single short transaction, so it needs no lease.
 */
@Injectable()
export class ProjectionService implements OnModuleDestroy {
  private readonly log = new Logger(ProjectionService.name);
  private readonly index = new MergedIndexes(['request_log_search_words_idx'], MERGED_AT);
  private isStopping = false;

  constructor(
    private readonly db: DataSource,
    private readonly vocabulary: Vocabulary,
  ) {}

  /** A process that stops finishes the batch that it has begun. */
  onModuleDestroy(): void {
    this.isStopping = true;
  }

  /** Gives true when it stopped before it had looked at all that waits. */
  async drain(): Promise<boolean> {
    for (let batch = 0; batch < MOST_BATCHES && !this.isStopping; batch++) {
      // Logs that are being changed stay where they are. They are not waited for: their writer rings when it is done.
      const projected = await this.projectBatch();
      if (projected === 0) return false;
      await this.index.count(this.db.manager, projected);
    }
    return true;
  }

  /** To be called from time to time: merges the words of the last few logs. */
  merge(): Promise<void> {
    return this.index.merge(this.db.manager);
  }

  /** The number of logs that are in the index now; 0 when none is left but what others are working on. */
  private projectBatch(): Promise<number> {
    return repeatableTransaction(this.db, async (tx) => {
      const claimed = await claimQueued(tx);
      if (claimed.length === 0) return 0;
      const projected: Projected[] = [];
      for (const piece of await this.piecesOf(tx, claimed)) {
        projected.push(...(await this.projectPiece(tx, piece)));
      }
      const unchanged = await lockUnchanged(tx, projected);
      await describeLogs(tx, descriptionsOf(projected, unchanged));
      const done = [...unchanged, ...missingFrom(projected, claimed)];
      await removeQueued(tx, done);
      return done.length;
    });
  }

  private async piecesOf(tx: EntityManager, keys: QueuedKey[]): Promise<QueuedKey[][]> {
    const sizes = await sizesOf(tx, keys);
    const pieces: QueuedKey[][] = [];
    let bytes = Infinity;
    keys.forEach((key, index) => {
      bytes += sizes[index]!;
      if (bytes > PIECE_BYTES) {
        pieces.push([]);
        bytes = sizes[index]!;
      }
      pieces.at(-1)!.push(key);
    });
    return pieces;
  }

  private async projectPiece(tx: EntityManager, keys: QueuedKey[]): Promise<Projected[]> {
    const logs = await readQueued(tx, keys);
    const gathered = this.vocabulary.gather();
    const indexed = logs.map((log) => this.toEntry(log, gathered));
    await this.vocabulary.keep(gathered);
    await storeWords(tx, indexed);
    return logs.map((log) => ({
      workspaceId: log.workspaceId,
      logId: log.logId,
      version: log.version,
      description: describe(log),
    }));
  }

  /** Of the words themselves nothing is left then, but the few that nobody has kept yet. */
  private toEntry(log: QueuedLog, gathered: GatheredWords): IndexEntry {
    const { workspaceId, startMs: atMs } = log;
    const found = this.wordsOf(log);
    gathered.add({ workspaceId, words: found.words, atMs });
    return { log, lexemes: lexemesOf(workspaceId, found), runs: found.runs };
  }

  /** One log that cannot be read must not keep all others out of the index: it is looked at whenever somebody searches. */
  private wordsOf(log: QueuedLog): IndexedWords {
    try {
      return wordsOfCall(log);
    } catch (error) {
      this.log.error(`The words of request log ${log.logId} cannot be indexed: ${String(error)}`);
      return UNKNOWN_WORDS;
    }
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
    facets: facetsOf({ ...undescribed, workspaceId, toolNames: facts.toolNames }, link),
  };
}

const keyOf = ({ workspaceId, logId }: QueuedKey): string => `${workspaceId}:${logId}`;

function descriptionsOf(projected: Projected[], unchanged: QueuedKey[]): Description[] {
  const keys = new Set(unchanged.map(keyOf));
  return projected.flatMap((log) => (log.description && keys.has(keyOf(log)) ? [log.description] : []));
}

/** Logs that were deleted while they waited. */
function missingFrom(projected: Projected[], claimed: QueuedKey[]): QueuedKey[] {
  const keys = new Set(projected.map(keyOf));
  return claimed.filter((key) => !keys.has(keyOf(key)));
}
