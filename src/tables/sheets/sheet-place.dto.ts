import { TextField, UuidField } from '../../platform/http/fields.js';
import { TABLE_ID, TABLE_TITLE, SHEET_ID, SHEET_TITLE } from '../shared/field-descriptions.js';

/** A sheet and its table, for lists of a whole workspace. */
export interface SheetPlace {
  tableId: string;
  tableTitle: string;
  sheetId: string;
  sheetTitle: string;
}

export class SheetPlaceBody {
  @UuidField({ description: TABLE_ID })
  table_id: string;

  @TextField({ description: TABLE_TITLE })
  table_title: string;

  @UuidField({ description: SHEET_ID })
  sheet_id: string;

  @TextField({ description: SHEET_TITLE })
  sheet_title: string;
}

export function toSheetPlace(place: SheetPlace): SheetPlaceBody {
  return {
    table_id: place.tableId,
    table_title: place.tableTitle,
    sheet_id: place.sheetId,
    sheet_title: place.sheetTitle,
  };
}
