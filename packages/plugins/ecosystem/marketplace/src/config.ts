/** The settings of marketplaces. */
export interface MarketplaceConfig {
  /** What OWNER/REPO is appended to. */
  readonly githubUrl: string;
  /** How large a plugin may be when unpacked. */
  readonly maxMegabytes: number;
  readonly maxFiles: number;
  /** How large a repository may be that plugins are read from. */
  readonly maxRepositoryMegabytes: number;
  readonly timeoutSeconds: number;
}
