import { ApiProperty } from '@nestjs/swagger';
import { DateTimeField, EnumField, IntegerField, ListField, MAX_ID, TextField } from '../../platform/http/fields.js';
import { SuccessField } from '../../platform/http/common-fields.js';
import { ReleaseLabelsField } from '../../platform/http/release-labels.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import { AUTO_RECALCULATE, type AutoRecalculate } from '../../grid/shared/auto-recalculate.js';
import { MAX_MODEL_NAME, MODEL_NAME } from '../../column-types/index.js';
import type { AllSettings, SettingsChange } from './settings.service.js';

const LARGEST_FILE =
  'Largest file that can be imported into a sheet, in bytes. Null means the limit of the server (IMPORT_MAX_BYTES).';
const NEW_SHEETS = 'The `auto_recalculate` of new sheets. Existing sheets keep theirs.';
const DEFAULT_MODEL =
  'Default model of columns such as LLM_ASSERTION, as `provider/model`. Null means that of the server (LLM_DEFAULT_MODEL).';
const EMBEDDING_MODEL =
  'Embedding model of COSINE_SIMILARITY, as `provider/model`. Null means that of the server (LLM_EMBEDDING_MODEL).';

const PROTECTED =
  'Release labels that only keys with the role admin or approver may create, move or delete, on prompts, tools, workflows and skill collections. Other keys cannot delete items with such a label either. Letter case matters.';

const APPROVAL =
  'Protected labels whose changes a second person approves: see `POST /api/public/v2/label-changes`. Each has to be in `protected_labels`; one that is taken off that list needs no approval any more. Changes of this list are in the audit trail and are sent as the event `approval_labels_changed`.';

/** A field that names a model. */
const ModelField = (description: string, example: string): PropertyDecorator =>
  TextField({ optional: true, nullable: true, maxLength: MAX_MODEL_NAME, pattern: MODEL_NAME, description, example });

@Closed()
export class UpdateSettingsRequest {
  @IntegerField({
    optional: true,
    nullable: true,
    min: 1,
    max: MAX_ID,
    description: LARGEST_FILE,
    example: 20_000_000,
  })
  import_max_bytes?: number | null;

  @EnumField(AUTO_RECALCULATE, { optional: true, description: NEW_SHEETS, example: 'deterministic' })
  auto_recalculate?: AutoRecalculate;

  @ModelField(DEFAULT_MODEL, 'openai/gpt-4.1-mini')
  default_model?: string | null;

  @ModelField(EMBEDDING_MODEL, 'openai/text-embedding-3-small')
  embedding_model?: string | null;

  @ReleaseLabelsField({ nullable: false, description: PROTECTED, example: ['production', 'live'] })
  protected_labels?: string[];

  @ReleaseLabelsField({ nullable: false, description: APPROVAL, example: ['live'] })
  approval_labels?: string[];
}

class SettingsBody {
  @IntegerField({ nullable: true, description: LARGEST_FILE })
  import_max_bytes: number | null;

  @EnumField(AUTO_RECALCULATE, { description: NEW_SHEETS })
  auto_recalculate: AutoRecalculate;

  @TextField({ nullable: true, description: DEFAULT_MODEL })
  default_model: string | null;

  @TextField({ nullable: true, description: EMBEDDING_MODEL })
  embedding_model: string | null;

  @ListField('string', { description: PROTECTED })
  protected_labels: string[];

  @ListField('string', { description: APPROVAL })
  approval_labels: string[];

  @DateTimeField({
    nullable: true,
    description: 'When the settings were last changed, in UTC; null when they never were.',
  })
  updated_at: string | null;
}

export class SettingsResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => SettingsBody, description: 'The settings in force.' })
  settings: SettingsBody;
}

export function toChange(body: UpdateSettingsRequest): SettingsChange {
  return {
    importMaxBytes: body.import_max_bytes,
    autoRecalculate: body.auto_recalculate,
    defaultModel: body.default_model,
    embeddingModel: body.embedding_model,
    protectedLabels: body.protected_labels,
    approvalLabels: body.approval_labels,
  };
}

export function toSettingsResponse(settings: AllSettings): SettingsResponse {
  return {
    success: true,
    settings: {
      import_max_bytes: settings.importMaxBytes,
      auto_recalculate: settings.autoRecalculate,
      default_model: settings.defaultModel,
      embedding_model: settings.embeddingModel,
      protected_labels: settings.protectedLabels,
      approval_labels: settings.approvalLabels,
      updated_at: settings.updatedAt?.toISOString() ?? null,
    },
  };
}
