// Runs a Vendure shop with three products on a free port, in a folder outside this project with Vendure
// installed.
const { randomBytes } = require('node:crypto')
const { writeFileSync } = require('node:fs')
const { createRequire } = require('node:module')
const { join } = require('node:path')

const [folder, databaseUrl] = process.argv.slice(2)
const load = createRequire(join(folder, 'package.json'))
const { bootstrap, defaultConfig, DefaultJobQueuePlugin, DefaultLogger, LogLevel, mergeConfig } =
  load('@vendure/core')
const { populate } = load('@vendure/core/cli')

const config = mergeConfig(defaultConfig, {
  logger: new DefaultLogger({ level: LogLevel.Error }),
  apiOptions: { port: 0, hostname: '127.0.0.1' },
  authOptions: {
    tokenMethod: 'bearer',
    superadminCredentials: { identifier: 'admin', password: randomBytes(16).toString('hex') },
  },
  dbConnectionOptions: { type: 'postgres', url: databaseUrl, synchronize: true, logging: false },
  importExportOptions: { importAssetsDir: folder },
  plugins: [DefaultJobQueuePlugin.init({})],
})

const columns =
  'name,slug,description,assets,facets,optionGroups,optionValues,sku,price,taxCategory,stockOnHand,trackInventory,variantAssets,variantFacets'
const products = ['beans,38', 'papers,4.5', 'delivery,6.9'].map((product) => {
  const [name, price] = product.split(',')
  return `${name},${name},${name},,,,,${name},${price},standard,0,false,,`
})
const list = join(folder, 'products.csv')
writeFileSync(list, [columns, ...products, ''].join('\n'))
const initial = {
  defaultLanguage: 'en',
  defaultZone: 'Americas',
  countries: [{ name: 'United States', code: 'US', zone: 'Americas' }],
  taxRates: [{ name: 'standard', percentage: 0 }],
  shippingMethods: [],
  paymentMethods: [],
  collections: [],
}

populate(() => bootstrap(config), initial, list).then(
  (app) => console.log(JSON.stringify({ port: app.getHttpServer().address().port })),
  (error) => {
    console.error(error)
    process.exit(1)
  },
)
