import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { EntityManager } from 'typeorm';
import type { JsonObject } from '../platform/json.js';
import { definePlugin } from '../platform/plugins/define-plugin.js';
import { WorkFailure } from '../platform/work/work-kind.js';
import type { AfterCommit } from '../grid/shared/sheet-owners.js';
import type { ImportOperation } from './import-operation.entity.js';

/** The plan of an import, made once before the first row is written. */
export interface ImportPlan {
  /** Column titles, in order. */
  titles: string[];
  rowCount: number;
  /** The first row of each step, if rows may be long. Otherwise steps have a fixed number of rows. */
  steps?: number[];
  /** State with which `read` returns the same rows again after a crash. Stored with the operation. */
  source: JsonObject;
}

/** A cell of an import. A text stays a text, even if it looks like a number. Null is blank. */
export type ImportedValue = string | number | null;

/** Reads rows from a source. One file per source; the runner does the rest. */
export interface Importer {
  /**
   * Throws an ImportFailure when there is nothing to import, or when it is invalid. Long work ends when the signal is
   * aborted.
   */
  plan(tx: EntityManager, operation: ImportOperation, signal: AbortSignal): Promise<ImportPlan>;
  /**
   * Reads the rows of a step, `from` up to `to`; a value per title, null for a blank cell. Must return the same rows
   * every time.
   */
  read(
    tx: EntityManager,
    operation: ImportOperation,
    plan: ImportPlan,
    rows: { from: number; to: number },
  ): Promise<ImportedValue[][]>;
}

/** The target of an import. */
export interface ImportTarget {
  /** The columns of the values, in the order of the titles. */
  columnKeys: string[];
  /** The index of the first of the new rows. */
  firstRow: number;
}

/** Imports rows that are in the database already: they are copied there without passing through this process. */
export interface CopyingImporter extends Pick<Importer, 'plan'> {
  /** Writes the rows of a step, `from` up to `to`, as cells of a version of the sheet. They are not visible yet. */
  copy(
    tx: EntityManager,
    plan: ImportPlan,
    target: ImportTarget & { workspaceId: number; version: number },
    rows: { from: number; to: number },
  ): Promise<void>;
  /** Called in the transaction that makes the rows visible, after that. */
  finish?(tx: EntityManager, operation: ImportOperation, plan: ImportPlan, target: ImportTarget): Promise<AfterCommit>;
}

/** The reason why an import failed, in words for the person who started it. */
export class ImportFailure extends WorkFailure {}

const kind = definePlugin<{ name: string }>('importer');

/** Registers a class as an importer. `name` is the `source` of its operations. */
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
