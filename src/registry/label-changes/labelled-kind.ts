import type { EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { definePlugin } from '../../platform/plugins/define-plugin.js';
import type { ClearedLabels, Deploying } from '../protected-labels.js';
import type { RegistryEntry } from '../registry.entities.js';
import type { LabelledKindName } from './label-change.entity.js';

interface LabelledKindOptions {
  name: LabelledKindName;
  /** Permission to change labels, and to request a change. */
  permission: Deploying;
}

/** A label with the number of its version. */
export interface LabelPosition {
  name: string;
  versionNumber: number;
}

/** The part of a `Registry` that requests need. */
interface LabelledRegistry<Entry extends RegistryEntry> {
  readonly options: { idType: 'integer' | 'uuid' };
  find(
    tx: EntityManager,
    workspaceId: number,
    identifier: string | { id: Entry['id'] },
    lock?: 'for_no_key_update',
  ): Promise<Entry | null>;
}

/** Changes the labels of a kind of entries, with all effects. Callers must lock the entries. */
export interface LabelledKindPlugin<Entry extends RegistryEntry = RegistryEntry> {
  readonly registry: LabelledRegistry<Entry>;
  labelsOf(tx: EntityManager, entry: Entry): Promise<LabelPosition[]>;
  /** Throws a Problem for a version that does not exist or cannot get the label. */
  checkTarget(tx: EntityManager, entry: Entry, target: LabelPosition): Promise<unknown>;
  /** Puts labels on a version. */
  place(
    tx: EntityManager,
    caller: Caller,
    entry: Entry,
    target: { versionNumber: number; labels: ClearedLabels },
  ): Promise<unknown>;
  /** Removes labels. */
  remove(tx: EntityManager, caller: Caller, entry: Entry, labels: ClearedLabels): Promise<unknown>;
}

const plugins = definePlugin<LabelledKindOptions>('labelled kind');

/** Registers a class for a kind of entries. `name` is the kind in requests for label changes. */
export const LabelledKind = plugins.decorate;
export const collectLabelledKinds = plugins.collect<LabelledKindPlugin>;
