import { Entity, PrimaryColumn } from 'typeorm';

/** A sheet works on a version of a prompt: its rows were imported from calls of it. */
@Entity('sheet_prompts')
export class SheetPrompt {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', primaryKeyConstraintName: 'sheet_prompts_pkey' })
  workspaceId: number;

  @PrimaryColumn({ name: 'prompt_id', type: 'integer', primaryKeyConstraintName: 'sheet_prompts_pkey' })
  promptId: number;

  @PrimaryColumn({ name: 'version_number', type: 'integer', primaryKeyConstraintName: 'sheet_prompts_pkey' })
  versionNumber: number;

  @PrimaryColumn({ name: 'sheet_id', type: 'uuid', primaryKeyConstraintName: 'sheet_prompts_pkey' })
  sheetId: string;
}
