/** What a query may use: functions, tables made of functions, and pragmas that read the database and nothing else. */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Functions that work on their arguments or on the rows of the query. New ones of the library are unknown until listed here. */
export const FUNCTIONS = words(`
  -> ->> abs acos acosh asin asinh atan atan2 atanh atn2 auth_user avg bm25 ceil ceiling changes char charindex coalesce concat concat_ws cos
  cosh cot coth count cume_dist current_date current_time current_timestamp date datetime degrees dense_rank difference exp first_value
  floor format geopoly_area geopoly_bbox geopoly_blob geopoly_ccw geopoly_contains_point geopoly_group_bbox geopoly_json geopoly_overlap
  geopoly_regular geopoly_svg geopoly_within geopoly_xform glob group_concat hex highlight if ifnull iif instr json json_array
  json_array_length json_error_position json_extract json_group_array json_group_object json_insert json_object json_patch json_pretty
  json_quote json_remove json_replace json_set json_type json_valid jsonb jsonb_array jsonb_extract jsonb_group_array jsonb_group_object
  jsonb_insert jsonb_object jsonb_patch jsonb_remove jsonb_replace jsonb_set julianday lag last_insert_rowid last_value lead leftstr
  length like likelihood likely ln log log10 log2 lower lower_quartile ltrim match matchinfo max median min mod mode nth_value ntile nullif
  octet_length offsets padc padl padr percent_rank pi pow power printf proper quote radians random randomblob rank regexp regexpi replace
  replicate reverse rightstr round row_number rtreedepth rtreenode rtrim sha3 sign sin sinh snippet soundex sqlite_source_id
  sqlite_version sqrt square stdev strfilter strftime string_agg substr substring subtype sum tan tanh time timediff total total_changes
  trim trunc typeof unhex unicode unixepoch unlikely upper upper_quartile uuid uuid_blob uuid_str variance vector vector16 vector1bit
  vector32 vector64 vector8 vector_distance_cos vector_distance_l2 vector_extract vectorb16 zeroblob
`);

/** Pragmas that tell something and change nothing, also with an argument. */
export const PRAGMAS = words(`
  collation_list compile_options database_list foreign_key_check foreign_key_list function_list index_info index_list index_xinfo
  integrity_check module_list pragma_list quick_check table_info table_list table_xinfo
`);

/** Told without an argument; with one they would be set. */
export const PRAGMAS_ALONE = words(`
  application_id auto_vacuum data_version encoding foreign_keys freelist_count journal_mode page_count page_size schema_version
  user_version
`);

/** Modules of virtual tables that show nothing but the database itself. */
export const MODULES = words(`
  dbstat fts3 fts4 fts4aux fts5 fts5vocab generate_series geopoly json_each json_tree rtree rtree_i32 sqlite_dbpage sqlite_stmt
  vector_top_k
`);

/** Modules that reach beyond the database. SQLite takes their names for tables, with and without parentheses. */
export const FORBIDDEN_MODULES = words('carray fsdir fts3tokenize zipfile');

/** Tables made of pragmas: those that read. */
export function isKnownPragmaTable(name: string): boolean {
  if (!name.startsWith('pragma_')) return false;
  const pragma = name.slice('pragma_'.length);
  return PRAGMAS.has(pragma) || PRAGMAS_ALONE.has(pragma);
}
