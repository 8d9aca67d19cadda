import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../platform/config/config.js';
import { KeptForAMoment } from '../platform/kept-for-a-moment.js';
import { Metrics } from '../platform/telemetry/metrics.js';
import { StorageErrors } from './storage.errors.js';
import { audit, type Caller } from '../access/index.js';
import { readStored, type StoredRow, writeLimits } from './storage.queries.js';

/** The names of the limits in the API. */
export const STORAGE_LIMITS = ['stored_bytes', 'rows'] as const;
export type StorageLimit = (typeof STORAGE_LIMITS)[number];

/** Usage and limit of a workspace; null = no limit. */
export interface Used {
  used: number;
  limit: number | null;
}

export interface Storage extends Record<StorageLimit, Used> {
  /** When the bytes were counted; null before the first count. */
  countedAt: Date | null;
}

/** Share of a limit from which responses report the usage. */
export const NEAR = 0.8;
const KEPT_MS = 2000;

export const isNear = ({ used, limit }: Used): boolean => limit !== null && used >= NEAR * limit;

/** Storage of workspaces, and its limits. */
@Injectable()
export class StorageService {
  private readonly known = new KeptForAMoment<Storage>(KEPT_MS);
  /** By workspace, the bytes that this process has admitted since the last count. */
  private readonly letIn = new Map<number, { countedAt: number; bytes: number }>();

  constructor(
    private readonly db: DataSource,
    private readonly metrics: Metrics,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async read(workspaceId: number, db = this.db.manager): Promise<Storage> {
    const { storedBytes, rows, countedAt, ...own } = await readStored(db, workspaceId);
    const bytesLimit = limitOf(own.maxStoredBytes, this.config.workspaceMaxStoredBytes);
    const rowsLimit = limitOf(own.maxRows, this.config.workspaceMaxRows);
    return {
      stored_bytes: { used: (storedBytes ?? 0) + this.letInSince(workspaceId, countedAt), limit: bytesLimit },
      rows: { used: rows, limit: rowsLimit },
      countedAt,
    };
  }

  /** Admits a number of bytes, and rows if any are added. Returns the usage including them. Throws workspace_full (403). */
  async admit(workspaceId: number, { bytes = 0, rows }: { bytes?: number; rows?: number }): Promise<Storage> {
    const storage = await this.lately(workspaceId);
    const { stored_bytes: stored } = storage;
    this.check('stored_bytes', stored, bytes);
    if (rows !== undefined) this.check('rows', storage.rows, rows);
    storage.rows.used += rows ?? 0;
    if (stored.limit === null) return storage;
    stored.used += bytes;
    this.letInSince(workspaceId, storage.countedAt);
    this.letIn.get(workspaceId)!.bytes += bytes;
    return storage;
  }

  /** Throws workspace_full (403) when the workspace cannot have this many more rows, outside of a request. */
  async checkRows(workspaceId: number, rows: number): Promise<void> {
    this.check('rows', (await this.lately(workspaceId)).rows, rows);
  }

  /** Number of rows that the workspace can still have, as a transaction sees it. */
  async roomForRows(tx: EntityManager, workspaceId: number): Promise<number> {
    const { used, limit } = (await this.read(workspaceId, tx)).rows;
    return limit === null ? Infinity : Math.max(0, limit - used);
  }

  async setLimits(caller: Caller, limits: Pick<StoredRow, 'maxStoredBytes' | 'maxRows'>): Promise<void> {
    const { workspaceId } = caller;
    await this.db.transaction(async (tx) => {
      await writeLimits(tx, workspaceId, limits);
      const details = { max_stored_bytes: limits.maxStoredBytes, max_rows: limits.maxRows };
      await audit(tx, caller, { action: 'workspace.set_storage_limits', entityId: workspaceId, details });
    });
    this.known.clear();
  }

  private lately(workspaceId: number): Promise<Storage> {
    return this.known.get(String(workspaceId), () => this.read(workspaceId));
  }

  private check(name: StorageLimit, { used, limit }: Used, more: number): void {
    if (limit === null || (used < limit && used + more <= limit)) return;
    this.metrics.counters.storageRefusals.inc({ limit: name });
    throw StorageErrors.workspace_full(name, used, limit);
  }

  private letInSince(workspaceId: number, counted: Date | null): number {
    const countedAt = counted?.getTime() ?? 0;
    const known = this.letIn.get(workspaceId);
    if (known?.countedAt === countedAt) return known.bytes;
    this.letIn.set(workspaceId, { countedAt, bytes: 0 });
    return 0;
  }
}

function limitOf(own: number | null, ofAll: number): number | null {
  return (own ?? ofAll) || null;
}
