/** Maximum characters of an error group. */
const LONGEST = 200;

/**
 * SQL over the columns of `request_logs`: a text that failed calls with the same error share. Words with digits, such
 * as ids, times and amounts, count as one. Blanks at either end are left out, because links trim their values. Null for
 * a log without an error.
 */
export const ERROR_GROUP =
  `(rtrim(left(trim(regexp_replace(regexp_replace(coalesce(nullif(error_message, ''), error_type), ` +
  `'\\S*\\d\\S*', '#', 'g'), '\\s+', ' ', 'g')), ${LONGEST})))`;
