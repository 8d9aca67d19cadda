import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { EntityManager } from 'typeorm';
import type { JsonObject } from '../platform/json.js';
import { definePlugin } from '../platform/plugins/define-plugin.js';
import { WorkFailure } from '../platform/work/work-kind.js';
import type { AfterCommit } from '../grid/sheet-owners.js';
import type { ImportOperation } from './import-operation.entity.js';

/** What an import will bring, decided once before the first row is written. */
export interface ImportPlan {
  /** Column titles, in order. */
  titles: string[];
  rowCount: number;
  /** Where steps begin, when rows may be long: the first row of each. Otherwise steps have a fixed number of rows. */
  steps?: number[];
  /** Whatever `read` needs to give the same rows again after a crash. Kept with the operation. */
  source: JsonObject;
}

/** A cell as an import brings it: text stays text, whatever it looks like. Null is blank. */
export type ImportedValue = string | number | null;

/** Reads rows from somewhere. One file per source; the runner does the rest. */
export interface Importer {
  /**
   * Throws an ImportFailure when there is nothing to import, or when it is not as it should be. What takes long ends
   * when the signal is aborted.
   */
  plan(tx: EntityManager, operation: ImportOperation, signal: AbortSignal): Promise<ImportPlan>;
  /** Rows `from` up to `to`, a step; a value per title, null for a blank cell. Must give the same rows every time. */
  read(
    tx: EntityManager,
    operation: ImportOperation,
    plan: ImportPlan,
    rows: { from: number; to: number },
  ): Promise<ImportedValue[][]>;
}

/** Where the rows of an import go. */
export interface ImportTarget {
  /** The columns the values go to, in the order of the titles. */
  columnKeys: string[];
  /** The index of the first of the new rows. */
  firstRow: number;
}

/** Brings rows that are in the database already: they are copied there and never come to this process. */
export interface CopyingImporter extends Pick<Importer, 'plan'> {
  /** Writes rows `from` up to `to`, a step, as cells of a version of the sheet. Nobody looks at them yet. */
  copy(
    tx: EntityManager,
    plan: ImportPlan,
    target: ImportTarget & { workspaceId: number; version: number },
    rows: { from: number; to: number },
  ): Promise<void>;
  /** Called in the transaction that shows the rows, after that. */
  finish?(tx: EntityManager, operation: ImportOperation, plan: ImportPlan, target: ImportTarget): Promise<AfterCommit>;
}

/** Why an import ends without a result, in words for the person who started it. */
export class ImportFailure extends WorkFailure {}

const kind = definePlugin<{ name: string }>('importer');

/** Makes a class an importer. `name` is the `source` of its operations. */
export const ImportsFrom = (name: string): ClassDecorator => kind.decorate({ name });

/** All importers of the installation. */
@Injectable()
export class Importers implements OnModuleInit {
  private importers = new Map<string, { plugin: Importer | CopyingImporter }>();

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    this.importers = kind.collect<Importer | CopyingImporter>(this.discovery);
  }

  get(source: string): Importer | CopyingImporter {
    const importer = this.importers.get(source)?.plugin;
    if (!importer) throw new ImportFailure(`No importer for ${source} is installed.`);
    return importer;
  }
}
