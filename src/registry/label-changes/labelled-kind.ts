import type { EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { definePlugin } from '../../platform/plugins/define-plugin.js';
import type { ClearedLabels, Deploying } from '../protected-labels.js';
import type { RegistryEntry } from '../registry.entities.js';
import type { LabelledKindName } from './label-change.entity.js';

interface LabelledKindOptions {
  name: LabelledKindName;
  /** What it takes to change labels, and to ask for a change. */
  permission: Deploying;
}

/** A label where it is. */
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

/** How labels of a kind of entries change, with everything that follows from it. Entries that change are locked. */
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

/** Makes a class the kind of entries that requests for changes of labels name so. */
export const LabelledKind = plugins.decorate;
export const collectLabelledKinds = plugins.collect<LabelledKindPlugin>;
