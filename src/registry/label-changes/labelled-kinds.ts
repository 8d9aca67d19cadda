import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { EntityManager } from 'typeorm';
import type { Deploying } from '../protected-labels.js';
import type { RegistryEntry } from '../registry.entities.js';
import type { LabelChange, LabelledKindName } from './label-change.entity.js';
import { collectLabelledKinds, type LabelledKindPlugin } from './labelled-kind.js';

type FoundKind = { permission: Deploying; plugin: LabelledKindPlugin };
type ItemOfChange = Pick<LabelChange, 'workspaceId' | 'kind' | 'itemId' | 'label'>;

/** All kinds of items with labels, of the whole installation. */
@Injectable()
export class LabelledKinds implements OnModuleInit {
  private readonly kinds = new Map<LabelledKindName, FoundKind>();

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    for (const { options, plugin } of collectLabelledKinds(this.discovery).values()) {
      this.kinds.set(options.name, { permission: options.permission, plugin });
    }
  }

  get(name: LabelledKindName): FoundKind {
    const kind = this.kinds.get(name);
    if (!kind) throw new Error(`No module has the labelled kind ${name}.`);
    return kind;
  }

  /** The item of a request; null when it was deleted. */
  find(tx: EntityManager, change: ItemOfChange, lock?: 'for_no_key_update'): Promise<RegistryEntry | null> {
    const { registry } = this.get(change.kind).plugin;
    const id = registry.options.idType === 'integer' ? Number(change.itemId) : change.itemId;
    return registry.find(tx, change.workspaceId, { id }, lock);
  }

  /** The number of the version that has the label of a request now; null when none has. */
  async currentVersion(tx: EntityManager, change: ItemOfChange, entry: RegistryEntry): Promise<number | null> {
    const labels = await this.get(change.kind).plugin.labelsOf(tx, entry);
    return labels.find(({ name }) => name === change.label)?.versionNumber ?? null;
  }
}
