import { pageQuery } from '@sluice/protocol/api/access.ts'
import { failureCodeList } from '@sluice/protocol/api/failure-codes.ts'
import {
  assignBrandRequest,
  assignBrandResponse,
  type BrandView,
  brandedMerchantList,
  brandList,
  changeSiteRequest,
  changeSiteResponse,
  type SiteConfig,
  siteConfigResponse,
} from '@sluice/protocol/api/site.ts'
import { ownBrandKey, webhookAgent, webhookHeaderPrefix } from '@sluice/protocol/brand.ts'
import { type Failure, failures } from '@sluice/protocol/failure-catalogue.ts'
import { formatUnits } from '@sluice/protocol/money.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { appendAudit } from '../access/audit/append-audit.ts'
import { actorOf } from '../access/caller.ts'
import { type Route, route } from '../access/route.ts'
import { invalidInput } from '../kernel/api-error.ts'
import type { Clock } from '../kernel/clock.ts'
import { type Cursor, readPage } from '../kernel/page.ts'
import type { Database } from '../platform/database/database.ts'
import { notifyJob } from '../platform/database/notify.ts'
import { jobNames } from '../platform/jobs/names.ts'
import type { Secrets } from '../platform/secrets.ts'
import { type Brand, brandBaseUrl, defaultTheme } from './brand.ts'
import { assignBrand, changeSite } from './change-site.ts'
import { findBrandOfHost, findBrandOfMerchant, listBrands } from './find-brand.ts'
import { parseSiteChange } from './parse-change.ts'
import { listBrandedMerchants } from './store.ts'

export type SiteNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly secrets: Secrets
  readonly site: { readonly baseUrl: string; readonly siteConfigRequiresKey: boolean }
}

const operator = { kind: 'session', roles: ['operator'] } as const

export function siteRoutes(needs: SiteNeeds): Route[] {
  return [
    showSiteRoute(needs),
    changeSiteRoute(needs),
    listBrandsRoute(needs),
    listBrandedMerchantsRoute(needs),
    assignBrandRoute(needs),
  ]
}

function showSiteRoute({ db, site }: SiteNeeds): Route {
  return route({
    method: 'GET',
    path: '/api/site/config',
    access: { kind: site.siteConfigRequiresKey ? 'known' : 'known-or-public' },
    description:
      "Retrieve a brand with its theme and processing fee. Returns the brand of the caller's merchant or, without a key or session, the brand of this domain.",
    responses: { 200: siteConfigResponse },
    async handle({ caller, headers }) {
      const merchant = 'merchant' in caller ? caller.merchant : undefined
      const brand = await (merchant ? findBrandOfMerchant(db, merchant) : findBrandOfHost(db, headers.host))
      return { status: 200, body: viewSite(brand) }
    },
  })
}

function changeSiteRoute(needs: SiteNeeds): Route {
  const { clock, site } = needs
  return route({
    method: 'POST',
    path: '/api/site/config',
    access: operator,
    limit: 'configWrites',
    description: 'Update a brand. Omitted fields stay unchanged. The first update creates the brand.',
    body: changeSiteRequest,
    responses: { 200: changeSiteResponse },
    async handle({ caller, body, correlationId }) {
      const { key, change } = parseSiteChange(body, new URL(site.baseUrl).hostname)
      const brand = await changeSite(needs, key, change, (tx) =>
        appendAudit(
          { ...needs, tx },
          {
            merchant: 'platform',
            at: clock.now(),
            actor: actorOf(caller),
            action: 'site.changed',
            subject: key,
            details: {
              fields: Object.keys(change),
              ...(body.processingFeePct !== undefined && { processingFeePct: body.processingFeePct }),
              ...(change.domains && { domains: change.domains }),
            },
            correlationId,
          },
        ),
      )
      if (change.domains) await notifyJob(needs, jobNames.readBrandOrigins)
      return { status: 200, body: { ok: true, brandKey: key, config: viewSite(brand) } }
    },
  })
}

function listBrandsRoute({ db, site }: SiteNeeds): Route {
  return route({
    method: 'GET',
    path: '/api/site/brands',
    access: operator,
    description: "List brands. The deployment's own brand comes first.",
    responses: { 200: brandList },
    async handle() {
      const brands = await listBrands(db)
      return { status: 200, body: { brands: brands.map((brand) => viewBrand(brand, site.baseUrl)) } }
    },
  })
}

function listBrandedMerchantsRoute({ db }: SiteNeeds): Route {
  return route({
    method: 'GET',
    path: '/api/site/merchants',
    access: operator,
    description: 'List merchants with the brand of each.',
    query: pageQuery,
    responses: { 200: brandedMerchantList },
    async handle({ query }) {
      const { page: merchants, nextCursor } = await readPage(query, walletCursor, (after, count) =>
        listBrandedMerchants(db, after?.merchantWallet ?? '', count),
      )
      return { status: 200, body: { merchants, nextCursor } }
    },
  })
}

function assignBrandRoute(needs: SiteNeeds): Route {
  const { clock } = needs
  return route({
    method: 'POST',
    path: '/api/site/merchants',
    access: operator,
    limit: 'configWrites',
    description: 'Assign a brand to a merchant.',
    body: assignBrandRequest,
    responses: { 200: assignBrandResponse },
    document: { apiErrors: ['not_found'] },
    async handle({ caller, body, correlationId }) {
      const merchantWallet = parseWallet(body.merchantWallet)
      if (!merchantWallet)
        throw invalidInput({
          path: 'merchantWallet',
          message: 'must be 0x followed by 40 hexadecimal digits',
        })
      const { brandKey = ownBrandKey } = body
      await assignBrand(needs, merchantWallet, brandKey, (tx, before) =>
        appendAudit(
          { ...needs, tx },
          {
            merchant: 'platform',
            at: clock.now(),
            actor: actorOf(caller),
            action: 'merchant.brand_changed',
            subject: merchantWallet,
            details: { before, brandKey },
            correlationId,
          },
        ),
      )
      return { status: 200, body: { ok: true, merchantWallet, brandKey } }
    },
  })
}

const walletCursor: Cursor<{ readonly merchantWallet: Wallet }> = {
  write: ({ merchantWallet }) => merchantWallet,
  parse(text) {
    const merchantWallet = parseWallet(text)
    return merchantWallet && { merchantWallet }
  },
}

export function viewSite(brand: Brand): SiteConfig {
  const fee = brand.processingFeeHundredths
  return {
    theme: { ...defaultTheme, ...brand.theme },
    processingFeePct: fee === undefined ? null : Number(formatUnits(fee, 2)),
    defaultPaymentToken: brand.defaultPaymentToken,
    reserveRatios: brand.reserveRatios ? { ...brand.reserveRatios } : null,
  }
}

export function viewBrand(brand: Brand, baseUrl: string): BrandView {
  return {
    key: brand.key,
    domains: [...brand.domains],
    baseUrl: brandBaseUrl(brand, baseUrl),
    webhookHeaderPrefix: webhookHeaderPrefix(brand.key),
    webhookUserAgent: webhookAgent(brand.key),
    config: viewSite(brand),
    createdAt: brand.createdAt,
    updatedAt: brand.updatedAt,
  }
}

export function failureCodeRoutes(): Route[] {
  const failureCodes = Object.entries(failures).map(([code, failure]: [string, Failure]) => ({
    code,
    ...failure,
  }))
  return [
    route({
      method: 'GET',
      path: '/api/failure-codes',
      access: { kind: 'public' },
      description: 'List failure codes. Each code includes its meaning and whether a retry helps.',
      responses: { 200: failureCodeList },
      async handle() {
        return { status: 200, body: { failureCodes } }
      },
    }),
  ]
}
