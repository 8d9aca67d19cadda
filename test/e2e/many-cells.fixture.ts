import { expect } from 'vitest';
import type { Client } from '../support/client.js';
import { type Cell, readRows, type TestSheet } from '../support/factories.js';

export interface Written {
  success: true;
  version: number;
  changed_count: number;
  stale_count: number;
  cells: Cell[];
}

export async function writeCells(client: Client, sheet: TestSheet, cells: object[]): Promise<Written> {
  return (await client.patch(`${sheet.path}/cells`, { cells })) as Written;
}

/** Expects that the cells are refused and everything stays as it was. Gives the answer. */
export async function refusedCells(
  client: Client,
  sheet: TestSheet,
  status: number,
  cells: unknown,
): Promise<Record<string, unknown>> {
  const before = await readRows(client, sheet);
  const answer = (await client.patch(`${sheet.path}/cells`, { cells }, status)) as Record<string, unknown>;
  expect(await readRows(client, sheet)).toEqual(before);
  return answer;
}

/** A cell of the column that every new sheet has, and what to write into it. */
export const inColumnA = (rowIndex: number, value: unknown) => ({ row_index: rowIndex, column: 'Column A', value });
