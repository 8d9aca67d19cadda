import { Column, Entity, Index, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { IdentityColumn, WorkspaceColumn } from '../../platform/database/common-columns.js';
import type { Prompt } from '../../llm/shared/blueprint.js';
import { JoinInWorkspace } from '../../platform/database/join-in-workspace.js';
import type { JsonObject } from '../../platform/json.js';
import { RegistryEntry, RegistryLabel, RegistryVersion } from '../../registry/index.js';

/** A named prompt. Its versions hold the content. */
@Entity('prompts')
@Index('prompts_name_key', { synchronize: false })
@Index('prompts_created_idx', ['workspaceId', 'createdAt', 'id'])
@Index('prompts_folder_idx', { synchronize: false })
export class PromptRecord extends RegistryEntry {
  @IdentityColumn('integer')
  id: number;

  /** Decided by the first version. */
  @Column({ name: 'is_snippet', type: 'boolean' })
  isSnippet: boolean;

  /** Type of the latest version. */
  @Column({ type: 'text' })
  type: Prompt['type'];

  @Column({ type: 'text', array: true })
  tags: string[];
}

/** One version of a prompt. It never changes. */
@Entity('prompt_versions')
@Index('prompt_versions_id_key', ['workspaceId', 'id'], { unique: true })
export class PromptVersion extends RegistryVersion {
  @PrimaryColumn({ name: 'prompt_id', type: 'integer' })
  promptId: number;

  /** From 1, without gaps. */
  @PrimaryColumn({ type: 'integer' })
  number: number;

  @Column({ type: 'integer', generated: 'identity', generatedIdentity: 'ALWAYS' })
  id: number;

  @ManyToOne(() => PromptRecord)
  @JoinInWorkspace('prompt_id', 'prompt_versions_prompt_id_fkey')
  prompt?: Relation<PromptRecord>;

  @Column({ name: 'provider_id', type: 'integer', nullable: true })
  providerId: number | null;

  @Column({ name: 'provider_base_url_name', type: 'text', nullable: true })
  providerBaseUrlName: string | null;

  @Column({ name: 'inference_client_name', type: 'text', nullable: true })
  inferenceClientName: string | null;

  /** The published prompt, with references to snippets and variables in place. `json` keeps the order of keys, which matters to models. */
  @Column({ type: 'json' })
  template: Prompt;

  @Column({ type: 'json', nullable: true })
  metadata: PromptMetadata | null;

  /** Texts that replace snippets in this version, by the name of the snippet. */
  @Column({ name: 'snippet_overrides', type: 'json', nullable: true })
  snippetOverrides: Record<string, string> | null;
}

/** The model a version is meant for. Further keys are kept. */
export type PromptMetadata = { model: ModelSettings | null } & JsonObject;

export type ModelSettings = {
  provider: string;
  name: string;
  model_config_display_name: string | null;
  base_model: string | null;
  parameters: JsonObject;
  display_params: JsonObject;
  api_type: string | null;
} & JsonObject;

/** A name such as "production" for one version of a prompt. */
@Entity('prompt_labels')
@Index('prompt_labels_name_key', ['workspaceId', 'promptId', 'name'], { unique: true })
@Index('prompt_labels_lookup_idx', ['workspaceId', 'name'])
export class PromptLabel extends RegistryLabel {
  @Column({ name: 'prompt_id', type: 'integer' })
  promptId: number;

  @ManyToOne(() => PromptRecord)
  @JoinInWorkspace('prompt_id', 'prompt_labels_prompt_id_fkey')
  prompt?: Relation<PromptRecord>;
}

/** The text of the latest version in lower case, for searches. A separate table keeps lists of prompts small. */
@Entity('prompt_texts')
export class PromptText {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ name: 'prompt_id', type: 'integer' })
  promptId: number;

  @Column({ type: 'text' })
  text: string;
}
