import type { EntityManager, ObjectLiteral } from 'typeorm';
import type { Caller } from '../../access/index.js';
import type { Labels } from '../labels.js';
import type { ClearedLabels } from '../protected-labels.js';
import type { Registry } from '../registry.js';
import type { RegistryEntry, RegistryVersion } from '../registry.entities.js';
import type { LabelledKindPlugin, LabelPosition } from './labelled-kind.js';

/** Entries whose labels are in a table of their own (`Labels`). Kinds can add further effects of a change. */
export abstract class LabelledEntries<
  Entry extends RegistryEntry & ObjectLiteral,
  Version extends RegistryVersion & ObjectLiteral,
> implements LabelledKindPlugin<Entry> {
  protected constructor(
    readonly registry: Registry<Entry, Version>,
    private readonly labels: Labels<Entry, Version>,
  ) {}

  labelsOf(tx: EntityManager, entry: Entry): Promise<LabelPosition[]> {
    return this.labels.of(tx, entry);
  }

  checkTarget(tx: EntityManager, entry: Entry, { versionNumber }: LabelPosition): Promise<Version> {
    return this.registry.getVersion(tx, entry, versionNumber);
  }

  async place(
    tx: EntityManager,
    caller: Caller,
    entry: Entry,
    target: { versionNumber: number; labels: ClearedLabels },
  ): Promise<void> {
    const changed = await this.labels.place(tx, caller, entry, target);
    await this.labelsChanged(tx, caller, entry, changed);
  }

  async remove(tx: EntityManager, caller: Caller, entry: Entry, labels: ClearedLabels): Promise<void> {
    const changed = await this.labels.delete(tx, caller, entry, labels);
    await this.labelsChanged(tx, caller, entry, changed);
  }

  /** Hook for further effects after labels were put on a version or removed. */
  protected async labelsChanged(
    _tx: EntityManager,
    _caller: Caller,
    _entry: Entry,
    _labels: LabelPosition[],
  ): Promise<void> {}
}
