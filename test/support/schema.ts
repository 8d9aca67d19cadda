export type SchemaRow = Record<string, unknown>;

const COLUMNS = `
  SELECT c.relname AS "table", a.attname AS "column", format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull AS required,
         a.attidentity AS identity, pg_get_expr(d.adbin, d.adrelid) AS fallback, coll.collname AS collation,
         a.attstorage AS storage, a.attcompression AS compression
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid AND c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
    LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    LEFT JOIN pg_collation coll ON coll.oid = a.attcollation
   WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relname <> 'migrations' ORDER BY 1, 2`;
const INDEXES = `SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename <> 'migrations' ORDER BY 1`;
/** Newer versions of PostgreSQL list what may not be null among them; the columns say so already. */
const CONSTRAINTS = `
  SELECT conrelid::regclass::text AS "table", conname, pg_get_constraintdef(oid) AS definition FROM pg_constraint
   WHERE connamespace = 'public'::regnamespace AND conrelid::regclass::text <> 'migrations' AND contype <> 'n' ORDER BY 1, 2`;
const RELATIONS = `
  SELECT relname, relkind, reloptions FROM pg_class
   WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'S') AND relname NOT LIKE 'migrations%' ORDER BY 1`;
const SEQUENCES = `SELECT sequencename, data_type::text, start_value, increment_by FROM pg_sequences
                    WHERE schemaname = 'public' AND sequencename NOT LIKE 'migrations%' ORDER BY 1`;
/** Functions, without those of extensions. */
const FUNCTIONS = `
  SELECT p.oid::regprocedure::text AS "function", md5(p.prosrc) AS body FROM pg_proc p
   WHERE p.pronamespace = 'public'::regnamespace
     AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e') ORDER BY 1`;
const TRIGGERS = `SELECT pg_get_triggerdef(oid) AS "trigger" FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1`;

/** Everything that the migrations create: columns, indexes, constraints, tables and sequences, functions, triggers. */
export async function readSchema(query: (sql: string) => Promise<SchemaRow[]>): Promise<SchemaRow[][]> {
  const parts: SchemaRow[][] = [];
  for (const sql of [COLUMNS, INDEXES, CONSTRAINTS, RELATIONS, SEQUENCES, FUNCTIONS, TRIGGERS])
    parts.push(await query(sql));
  return parts;
}
