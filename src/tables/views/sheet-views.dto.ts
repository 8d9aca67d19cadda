import { ApiProperty } from '@nestjs/swagger';
import { DateTimeField, IntegerField, ListField, UuidField } from '../../platform/http/fields.js';
import { COLUMN_ID } from '../shared/field-descriptions.js';
import { SuccessField } from '../../platform/http/common-fields.js';
import type { ShownView } from './sheet-view.entity.js';

/** A limit above that of the columns of a sheet. */
const MAX_COLUMNS = 1000;
const MOST_LINES = 8;

class ColumnWidth {
  @UuidField({ description: COLUMN_ID })
  column_id: string;

  @IntegerField({ min: 40, max: 2000, description: 'Width in CSS pixels.', example: 200 })
  width: number;
}

export class SheetViewRequest {
  @ListField('uuid', { maxItems: MAX_COLUMNS, description: 'Ids of the columns that are not shown.', example: [] })
  hidden_column_ids: string[];

  @ListField('uuid', {
    maxItems: MAX_COLUMNS,
    description: 'Ids of the columns that stay at the left, in the order of the sheet.',
    example: [],
  })
  pinned_column_ids: string[];

  @ListField(() => ColumnWidth, {
    maxItems: MAX_COLUMNS,
    description:
      'Widths of columns that differ from the default. For a column that is listed twice the last width counts.',
    example: [],
  })
  widths: ColumnWidth[];

  @IntegerField({
    optional: true,
    min: 1,
    max: MOST_LINES,
    default: 1,
    description: 'Number of lines of text that a row shows; text wraps when there are several.',
    example: 3,
  })
  row_lines?: number;
}

export class SheetViewBody extends SheetViewRequest {
  @DateTimeField({ nullable: true, description: 'When the view was last changed, in UTC; null when it never was.' })
  updated_at: string | null;
}

export class SheetViewResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => SheetViewBody, description: 'How the console shows the sheet to everybody.' })
  view: SheetViewBody;
}

export function toSheetViewResponse({ hidden, pinned, widths, rowLines, updatedAt }: ShownView): SheetViewResponse {
  return {
    success: true,
    view: {
      hidden_column_ids: hidden,
      pinned_column_ids: pinned,
      widths: Object.entries(widths).map(([column_id, width]) => ({ column_id, width })),
      row_lines: rowLines,
      updated_at: updatedAt?.toISOString() ?? null,
    },
  };
}
