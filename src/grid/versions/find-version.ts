import type { EntityManager } from 'typeorm';
import { MAX_ID, TextField } from '../../platform/http/fields.js';
import type { FieldOptions } from '../../platform/http/field.js';
import type { Sheet } from '../shared/sheet.entity.js';
import { SheetVersion } from '../shared/sheet-version.entity.js';
import { VersionErrors } from './versions.errors.js';

const REFERENCE = /^([0-9]{1,10}|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$/;

/** A version in a query string: its number or its id. */
export const VersionField = (options: FieldOptions): PropertyDecorator =>
  TextField({ ...options, query: true, optional: true, maxLength: 36, pattern: REFERENCE });

/** A version of a sheet by number or id. Throws version_not_found. */
export async function findVersion(tx: EntityManager, sheet: Sheet, reference: string): Promise<SheetVersion> {
  const { workspaceId, id: sheetId } = sheet;
  const isNumber = !reference.includes('-');
  const known = !isNumber || Number(reference) <= MAX_ID;
  const which = isNumber ? { number: Number(reference) } : { id: reference.toLowerCase() };
  const version = known ? await tx.findOneBy(SheetVersion, { workspaceId, sheetId, ...which }) : null;
  if (!version) throw VersionErrors.version_not_found(reference);
  return version;
}
