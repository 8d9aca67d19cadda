import { ApiProperty } from '@nestjs/swagger';
import { DateTimeField, EnumField, IntegerField, MAX_ID } from '../../platform/http/fields.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import { AUTO_RECALCULATE, type AutoRecalculate } from '../grid/computing/auto-recalculate.js';
import type { Settings } from './read-settings.js';

const LARGEST_FILE =
  'The largest file that can be imported into a sheet, in bytes. null means as large as the server allows (IMPORT_MAX_BYTES).';
const NEW_SHEETS = 'The `auto_recalculate` that new sheets start with. Sheets that exist keep theirs.';

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
}

class SettingsBody {
  @IntegerField({ nullable: true, description: LARGEST_FILE })
  import_max_bytes: number | null;

  @EnumField(AUTO_RECALCULATE, { description: NEW_SHEETS })
  auto_recalculate: AutoRecalculate;

  @DateTimeField({ nullable: true, description: 'null while nobody has set anything.' })
  updated_at: string | null;
}

export class SettingsResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => SettingsBody })
  settings: SettingsBody;
}

export function toSettingsResponse(settings: Settings): SettingsResponse {
  return {
    success: true,
    settings: {
      import_max_bytes: settings.importMaxBytes,
      auto_recalculate: settings.autoRecalculate,
      updated_at: settings.updatedAt?.toISOString() ?? null,
    },
  };
}
