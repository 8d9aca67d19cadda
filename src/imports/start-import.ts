import { type EntityManager } from 'typeorm';
import { uniqueViolation } from '../platform/errors/failures.js';
import type { JsonObject } from '../platform/json.js';
import type { Sheet } from '../grid/shared/sheet.entity.js';
import { storeFile } from './import-chunks.queries.js';
import type { ImportFile } from './import-file.js';
import { ImportOperation, type ImportSource } from './import-operation.entity.js';
import { ImportErrors } from './imports.errors.js';
import type { Starter } from './starter.js';

export interface NewImport {
  id: string;
  source: ImportSource;
  request: object;
  file?: ImportFile;
  /** Whether the sheet is created for this import. */
  createsSheet?: boolean;
}

/** Stores an import into a locked sheet. Notify workers after the commit. */
export async function startImport(
  tx: EntityManager,
  starter: Starter,
  sheet: Sheet,
  { id, source, request, file, createsSheet = false }: NewImport,
): Promise<ImportOperation> {
  const { workspaceId, tableId } = sheet;
  const { keyId, keyName, requestId } = starter;
  const kept = { ...request, createsSheet, by: { keyId, keyName, requestId } } as JsonObject;
  await insert(tx, {
    workspaceId,
    id,
    tableId,
    sheetId: sheet.id,
    source,
    status: 'queued',
    fileName: file?.name ?? null,
    request: kept as object,
  });
  if (file) await storeFile(tx, { workspaceId, id }, file.text());
  return tx.findOneByOrFail(ImportOperation, { workspaceId, id });
}

/**
 * Finds the import into this sheet by its name. Throws import_operation_id_taken when the name belongs to another one.
 */
export async function findStarted(tx: EntityManager, sheet: Sheet, id: string): Promise<ImportOperation | null> {
  const existing = await tx.findOneBy(ImportOperation, { workspaceId: sheet.workspaceId, id });
  if (existing && (existing.tableId !== sheet.tableId || existing.sheetId !== sheet.id)) {
    throw ImportErrors.import_operation_id_taken(id);
  }
  return existing;
}

/** Finds the import that created a sheet of this table by its name. Throws import_operation_id_taken. */
export async function findCreation(
  tx: EntityManager,
  { workspaceId, tableId }: { workspaceId: number; tableId: string },
  id: string,
): Promise<ImportOperation | null> {
  const existing = await tx.findOneBy(ImportOperation, { workspaceId, id });
  if (existing && (existing.tableId !== tableId || existing.request.createsSheet !== true)) {
    throw ImportErrors.import_operation_id_taken(id);
  }
  return existing;
}

/** A constraint of the database decides between two imports that start at the same time. */
async function insert(tx: EntityManager, operation: Parameters<typeof tx.insert<ImportOperation>>[1]): Promise<void> {
  try {
    await tx.insert(ImportOperation, operation);
  } catch (error) {
    const constraint = uniqueViolation(error);
    if (constraint === null) throw error;
    if (constraint === 'import_operations_active_key') throw ImportErrors.import_running();
    throw ImportErrors.import_operation_id_taken(String((operation as { id: string }).id));
  }
}
