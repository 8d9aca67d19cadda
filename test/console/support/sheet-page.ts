import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { TestSheet } from '../../support/factories.js';

export const pathOf = ({ tableId, id }: Pick<TestSheet, 'tableId' | 'id'>): string =>
  `/console/tables/${tableId}/${id}`;

/** A cell by its place, from 1. */
export function cell(page: Page, row: number, column: number): Locator {
  return page.locator(`#cell-${row - 1}-${column - 1}`);
}

/** Waits until a cell shows this. */
export async function shows(page: Page, [row, column]: [number, number], text: string): Promise<void> {
  await cell(page, row, column).getByText(text, { exact: true }).first().waitFor();
}

export const selected = (page: Page): Promise<string> => page.locator('.value-bar .place').innerText();

/** Puts the focus into the grid, on a cell. */
export async function goTo(page: Page, row: number, column: number): Promise<void> {
  const wanted = cell(page, row, column);
  await wanted.click();
  const hasFocus = () =>
    wanted.evaluate((at) => at.ariaSelected === 'true' && at.closest('[role=grid]')!.contains(document.activeElement));
  await expect.poll(hasFocus).toBe(true);
}
