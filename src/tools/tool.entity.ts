import { Column, Entity, Index, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { IdentityColumn } from '../platform/database/common-columns.js';
import { JoinInWorkspace } from '../platform/database/join-in-workspace.js';
import type { JsonObject } from '../platform/json.js';
import { RegistryEntry, RegistryLabel, RegistryVersion } from '../registry/index.js';
import type { ToolExecution } from './tool.schema.js';

/** A named tool that models can call. Its versions hold the definition and the code. */
@Entity('tools')
@Index('tools_name_key', { synchronize: false })
@Index('tools_updated_idx', { synchronize: false })
@Index('tools_folder_idx', { synchronize: false })
export class Tool extends RegistryEntry {
  @IdentityColumn('integer')
  id: number;

  @Column({ type: 'text', nullable: true })
  description: string | null;
}

/** One version of a tool. It never changes. */
@Entity('tool_versions')
@Index('tool_versions_id_key', ['workspaceId', 'id'], { unique: true })
export class ToolVersion extends RegistryVersion {
  @PrimaryColumn({ name: 'tool_id', type: 'integer' })
  toolId: number;

  /** From 1, without gaps. */
  @PrimaryColumn({ type: 'integer' })
  number: number;

  @Column({ type: 'integer', generated: 'identity', generatedIdentity: 'ALWAYS' })
  id: number;

  @ManyToOne(() => Tool)
  @JoinInWorkspace('tool_id', 'tool_versions_tool_id_fkey')
  tool?: Relation<Tool>;

  /** Definition for models. `json` keeps the order of the keys of its schema. */
  @Column({ type: 'json' })
  definition: JsonObject;

  /** null for a tool that only the caller of the model can run. */
  @Column({ type: 'json', nullable: true })
  execution: ToolExecution | null;

  @Column({ name: 'response_schema', type: 'json', nullable: true })
  responseSchema: JsonObject | null;
}

/** A name such as "production" for one version of a tool. */
@Entity('tool_labels')
@Index('tool_labels_name_key', ['workspaceId', 'toolId', 'name'], { unique: true })
export class ToolLabel extends RegistryLabel {
  @Column({ name: 'tool_id', type: 'integer' })
  toolId: number;

  @ManyToOne(() => Tool)
  @JoinInWorkspace('tool_id', 'tool_labels_tool_id_fkey')
  tool?: Relation<Tool>;
}
