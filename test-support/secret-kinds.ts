/**
 * Kinds of secrets, each in the line in which it usually stands, as a template: `<…>` holds the secret, and `{h32}`
 * stands for 32 random characters of a class: h, H hex, w letters and digits, u, l of one case, d digits, b base64, s
 * base64url; `{g}` is a UUID. So no text that looks like a key stands in this file. Formats are facts that issuers
 * publish, held against the rules of gitleaks 8 of 2026-07-22.
 */
export const PREFIXED_KINDS: string = `
anthropic-api ANTHROPIC_API_KEY=<sk-ant-api03-{s93}AA>
anthropic-admin ANTHROPIC_ADMIN_KEY=<sk-ant-admin01-{s93}AA>
anthropic-oauth CLAUDE_CODE_OAUTH_TOKEN=<sk-ant-oat01-{s93}AA>
openai-legacy OPENAI_API_KEY=<sk-{w20}T3BlbkFJ{w20}>
openai-project OPENAI_API_KEY=<sk-proj-{s74}T3BlbkFJ{s74}>
openai-service OPENAI_API_KEY=<sk-svcacct-{s58}T3BlbkFJ{s58}>
openai-admin OPENAI_ADMIN_KEY=<sk-admin-{s58}T3BlbkFJ{s58}>
openrouter OPENROUTER_API_KEY=<sk-or-v1-{h64}>
deepseek DEEPSEEK_API_KEY=<sk-{h32}>
google-api GOOGLE_API_KEY=<AIza{s35}>
google-oauth-access GOOGLE_OAUTH_TOKEN=<ya29.{s120}>
google-oauth-refresh GOOGLE_REFRESH_TOKEN=<1//0{s60}>
google-client GOOGLE_CLIENT_SECRET=<GOCSPX-{s28}>
groq GROQ_API_KEY=<gsk_{w52}>
xai XAI_API_KEY=<xai-{w80}>
perplexity PERPLEXITY_API_KEY=<pplx-{w48}>
replicate REPLICATE_API_TOKEN=<r8_{w37}>
cerebras CEREBRAS_API_KEY=<csk-{l48}>
fireworks FIREWORKS_API_KEY=<fw_{w24}>
huggingface HF_TOKEN=<hf_{w34}>
huggingface-org HF_ORG_TOKEN=<api_org_{w34}>
pinecone PINECONE_API_KEY=<pcsk_{w6}_{w63}>
langsmith-personal LANGSMITH_API_KEY=<lsv2_pt_{h32}_{h10}>
langsmith-service LANGSMITH_API_KEY=<lsv2_sk_{h32}_{h10}>
langfuse-secret LANGFUSE_SECRET_KEY=<sk-lf-{g}>
tavily TAVILY_API_KEY=<tvly-dev-{w32}>
firecrawl FIRECRAWL_API_KEY=<fc-{h32}>
elevenlabs ELEVENLABS_API_KEY=<sk_{h48}>
nvidia NVIDIA_API_KEY=<nvapi-{s64}>
jina JINA_API_KEY=<jina_{h32}{s28}>
voyage VOYAGE_API_KEY=<pa-{s43}>
aws-access AWS_ACCESS_KEY_ID=<AKIA{u16}>
aws-session AWS_ACCESS_KEY_ID=<ASIA{u16}>
aws-bedrock-long AWS_BEARER_TOKEN_BEDROCK=<ABSK{b132}>
aws-bedrock-short AWS_BEARER_TOKEN_BEDROCK=<bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t{b200}>
github-classic GITHUB_TOKEN=<ghp_{w36}>
github-oauth GH_TOKEN=<gho_{w36}>
github-user GH_TOKEN=<ghu_{w36}>
github-server GITHUB_TOKEN=<ghs_{w36}>
github-server-jwt GITHUB_TOKEN=<ghs_{d8}_eyJhbGciOiJSUzI1NiJ9.eyJ{s60}.{s86}>
github-refresh GITHUB_REFRESH=<ghr_{w36}>
github-fine-grained GITHUB_TOKEN=<github_pat_{w22}_{w59}>
gitlab-personal GITLAB_TOKEN=<glpat-{s20}>
gitlab-personal-routable GITLAB_TOKEN=<glpat-{s27}.01.{l9}>
gitlab-trigger GITLAB_TRIGGER=<glptt-{h40}>
gitlab-deploy GITLAB_DEPLOY=<gldt-{s20}>
gitlab-runner RUNNER=<glrt-{s20}>
gitlab-runner-registration RUNNER=<GR1348941{s20}>
gitlab-job CI_JOB=<glcbt-64_{s20}>
gitlab-feed FEED=<glft-{s20}>
gitlab-scim SCIM=<glsoat-{s20}>
gitlab-mail MAIL=<glimt-{s25}>
gitlab-agent AGENT=<glagent-{s50}>
gitlab-oauth-app APP=<gloas-{s64}>
gitlab-feature-flags FLAGS=<glffct-{s20}>
slack-bot SLACK_BOT_TOKEN=<xoxb-{d12}-{d13}-{w24}>
slack-user SLACK_USER_TOKEN=<xoxp-{d12}-{d12}-{d13}-{h32}>
slack-app SLACK_APP_TOKEN=<xapp-1-A{u10}-{d13}-{h64}>
slack-legacy SLACK_TOKEN=<xoxs-{d10}-{d10}-{d10}-{h10}>
slack-config SLACK_CONFIG=<xoxe.xoxp-1-{u163}>
slack-config-refresh SLACK_CONFIG=<xoxe-1-{u146}>
stripe-live STRIPE_SECRET_KEY=<sk_live_{w24}>
stripe-test STRIPE_SECRET_KEY=<sk_test_{w99}>
stripe-restricted STRIPE_KEY=<rk_live_{w24}>
stripe-org STRIPE_ORG_KEY=<sk_org_live_{w24}>
stripe-webhook STRIPE_WEBHOOK=<whsec_{w32}>
npm NPM_TOKEN=<npm_{w36}>
pypi PYPI_TOKEN=<pypi-AgEIcHlwaS5vcmc{s120}>
rubygems GEM_HOST_API_KEY=<rubygems_{h48}>
clojars CLOJARS=<CLOJARS_{l60}>
crates-io CARGO_REGISTRY_TOKEN=<cio{w32}>
nuget NUGET_API_KEY=<oy2{l43}>
docker-hub DOCKER_PAT=<dckr_pat_{s27}>
docker-org DOCKER_OAT=<dckr_oat_{s32}>
sendgrid SENDGRID_API_KEY=<SG.{s22}.{s43}>
twilio-key TWILIO_API_KEY=<SK{h32}>
mailgun-old MAILGUN_API_KEY=<key-{h32}>
mailgun-new MAILGUN_API_KEY=<{h32}-{h8}-{h8}>
mailchimp MAILCHIMP_API_KEY=<{h32}-us12>
mandrill MANDRILL_API_KEY=<md-{s22}>
brevo BREVO_API_KEY=<xkeysib-{h64}-{w16}>
brevo-smtp SMTP_KEY=<xsmtpsib-{h64}-{w16}>
resend RESEND_API_KEY=<re_{w8}_{w24}>
telegram TELEGRAM_BOT=<{d10}:AA{s33}>
discord-bot DISCORD_BOT=<M{w25}.{s6}.{s38}>
shopify-admin SHOPIFY=<shpat_{h32}>
shopify-custom SHOPIFY=<shpca_{h32}>
shopify-private SHOPIFY=<shppa_{h32}>
shopify-shared SHOPIFY=<shpss_{h32}>
digitalocean-personal DO=<dop_v1_{h64}>
digitalocean-oauth DO=<doo_v1_{h64}>
digitalocean-refresh DO=<dor_v1_{h64}>
digitalocean-spaces SPACES=<DO00{u16}>
databricks DATABRICKS_TOKEN=<dapi{h32}>
linear LINEAR_API_KEY=<lin_api_{w40}>
notion-new NOTION_TOKEN=<ntn_{d11}{w35}>
notion-old NOTION_TOKEN=<secret_{w43}>
figma FIGMA_TOKEN=<figd_{s40}>
airtable AIRTABLE=<pat{w14}.{h64}>
postman POSTMAN_API_KEY=<PMAK-{h24}-{h34}>
new-relic-user NEW_RELIC_USER=<NRAK-{u27}>
new-relic-insert NEW_RELIC_INSERT=<NRII-{s32}>
new-relic-license NEW_RELIC_LICENSE_KEY=<{h36}NRAL>
new-relic-browser NEW_RELIC_BROWSER=<NRJS-{h19}>
grafana-service GRAFANA=<glsa_{w32}_{h8}>
grafana-cloud GRAFANA=<glc_eyJ{b80}>
grafana-api GRAFANA_API_KEY=<eyJrIjoi{w90}>
sentry-org SENTRY_AUTH_TOKEN=<sntrys_eyJpYXQiO{b80}_{b43}>
sentry-user SENTRY_AUTH_TOKEN=<sntryu_{h64}>
vault-service VAULT_TOKEN=<hvs.{s90}>
vault-batch VAULT_TOKEN=<hvb.{s140}>
doppler-personal DOPPLER=<dp.pt.{w43}>
doppler-service DOPPLER=<dp.st.prd.{w40}>
terraform-cloud TFE=<{w14}.atlasv1.{s67}>
pulumi PULUMI=<pul-{h40}>
planetscale-token PSCALE=<pscale_tkn_{s43}>
planetscale-password PSCALE=<pscale_pw_{s43}>
planetscale-oauth PSCALE=<pscale_oauth_{s32}>
supabase-access SUPABASE=<sbp_{h40}>
supabase-secret SUPABASE=<sb_secret_{s31}>
square-access SQUARE=<sq0atp-{s22}>
square-secret SQUARE=<sq0csp-{s43}>
square-production SQUARE_ACCESS_TOKEN=<EAAA{s60}>
atlassian-new JIRA=<ATATT3xFfGF0{s180}>
bitbucket-app BITBUCKET=<ATBB{w32}>
bitbucket-repository BITBUCKET=<ATCTT3xFfGN0{s160}>
age AGE=<AGE-SECRET-KEY-1{u58}>
onepassword-service OP=<ops_eyJ{s250}>
onepassword-secret OP_SECRET_KEY=<A3-{u6}-{u6}-{u5}-{u5}-{u5}-{u5}>
razorpay RAZORPAY=<rzp_live_{w14}>
vercel VERCEL=<vcp_{w56}>
vercel-blob BLOB_READ_WRITE_TOKEN=<vercel_blob_rw_{w16}_{w30}>
netlify NETLIFY=<nfp_{w36}>
cloudflare-ca CLOUDFLARE=<v1.0-{h24}-{h146}>
heroku HEROKU=<HRKU-AA{s58}>
mapbox MAPBOX=<sk.eyJ{s60}.{s22}>
dropbox DROPBOX=<sl.{s135}>
dropbox-new DROPBOX=<sl.u.{s160}>
hubspot HUBSPOT=<pat-na1-{g}>
contentful CONTENTFUL=<CFPAT-{s43}>
posthog-personal POSTHOG=<phx_{w43}>
posthog-secret POSTHOG=<phs_{w43}>
fly-2 FLY_API_TOKEN=<fm2_{b160}>
fly-1 FLY_API_TOKEN=<fm1r_{b120}>
fly-0 FLY_API_TOKEN=<fo1_{s43}>
render RENDER=<rnd_{w28}>
easypost-live EASYPOST=<EZAK{w54}>
easypost-test EASYPOST=<EZTK{w54}>
tailscale TAILSCALE=<tskey-auth-{w16}-{w32}>
tailscale-api TAILSCALE=<tskey-api-{w16}-{w32}>
sourcegraph SRC=<sgp_{h16}_{h40}>
sonar-project SONAR=<sqp_{h40}>
sonar-user SONAR=<squ_{h40}>
circleci-personal CIRCLE=<CCIPAT_{w22}_{h40}>
circleci-project CIRCLE=<CCIPRJ_{w22}_{h40}>
buildkite BUILDKITE=<bkua_{h40}>
buildkite-agent BUILDKITE=<bkct_{w40}>
woocommerce-secret WOO=<cs_{h40}>
woocommerce-key WOO=<ck_{h40}>
braintree BRAINTREE=<access_token$production$\{l16}$\{h32}>
asana-personal ASANA=<2/{d16}/{d16}:{h32}>
linkedin-client LINKEDIN=<WPL_AP1.{w16}.{w6}==>
salesforce-session SF=<00D{w12}!AQ{w90}>
azure-client AZURE=<{w3}8Q~{w34}>
azure-devops-old AZURE_DEVOPS_EXT_PAT=<{l52}>
azure-devops AZURE_DEVOPS=<{w76}AZDO{w4}>
azure-storage AZURE_STORAGE=<{b76}+ASt{b5}A==>
azure-function AZURE_FUNCTION=<{s44}AzFu{s5}A==>
azure-cosmos AZURE_COSMOS=<{b76}ACDb{b5}A==>
alibaba-key-id ALIBABA=<LTAI{w20}>
tencent-secret-id TENCENTCLOUD_SECRET_ID=<AKID{w32}>
yandex-api YANDEX=<AQVN{s38}>
yandex-aws YANDEX_SECRET_KEY=<YC{s38}>
artifactory JFROG=<AKCp{w69}>
artifactory-reference JFROG=<cmVmd{w59}>
adobe ADOBE_CLIENT_SECRET=<p8e-{l32}>
clickhouse CLICKHOUSE_CLOUD_SECRET=<4b1d{w38}>
duffel DUFFEL=<duffel_live_{s43}>
dynatrace DYNATRACE=<dt0c01.{u24}.{u64}>
flutterwave FLUTTERWAVE=<FLWSECK_TEST-{h32}-X>
flutterwave-live FLUTTERWAVE=<FLWSECK-{h32}-X>
frameio FRAMEIO=<fio-u-{s64}>
harness HARNESS_API_KEY=<pat.{s22}.{w24}.{w20}>
infracost INFRACOST=<ico-{w32}>
intra42 INTRA=<s-s4t2ud-{h64}>
maxmind MAXMIND_LICENSE_KEY=<{w6}_{w29}_mmk>
octopus OCTOPUS_API_KEY=<API-{u26}>
okta-header Authorization: SSWS <00{s40}>
openshift OPENSHIFT=<sha256~{s43}>
prefect PREFECT=<pnu_{w36}>
readme README=<rdme_{l70}>
scalingo SCALINGO=<tk-us-{s48}>
settlemint SETTLEMINT=<sm_pat_{w16}>
shippo SHIPPO=<shippo_live_{h40}>
typeform TYPEFORM=<tfp_{s59}>
plaid-access PLAID=<access-production-{g}>
paystack PAYSTACK=<sk_live_{h40}>
facebook-page FACEBOOK=<EAAM{w120}>
facebook-app FACEBOOK=<{d15}|{s27}>
instagram INSTAGRAM=<IGQV{s120}>
authress AUTHRESS_KEY=<sc_{l12}.{l5}.acc-{l16}.{b60}>
beamer BEAMER_API_KEY=<b_{s44}>
defined-networking DNKEY=<dnkey-{s26}-{s52}>
lob LOB_API_KEY=<live_{h35}>
gocardless GOCARDLESS_ACCESS_TOKEN=<live_{s40}>
statsig STATSIG=<secret-{w43}>
launchdarkly-sdk LAUNCHDARKLY_SDK_KEY=<sdk-{g}>
launchdarkly-api LAUNCHDARKLY_API_TOKEN=<api-{g}>
pagerduty-token Authorization: Token token=<{s20}>
turso TURSO_AUTH_TOKEN=<eyJhbGciOiJFZERTQSJ9.{s90}.{s86}>
clerk CLERK=<sk_live_{w40}>
trigger-dev TRIGGER=<tr_prod_{w24}>
inngest INNGEST=<signkey-prod-{h64}>
val-town VALTOWN=<vtwn_{w28}>
unkey UNKEY=<unkey_{w24}>
neon NEON=<napi_{l64}>
apify APIFY=<apify_api_{w36}>
browserbase BROWSERBASE=<bb_live_{s27}>
e2b E2B=<e2b_{h40}>
modal MODAL_TOKEN_SECRET=<as-{w22}>
wandb WANDB_API_KEY=<{h40}>
telnyx TELNYX_API_KEY=<KEY{u32}_{w22}>
zuplo ZUPLO=<zpka_{h32}_{h8}>
`;

/** Secrets that nothing but their name or their line tells. */
export const NAMED_KINDS: string = `
aws-secret AWS_SECRET_ACCESS_KEY=<{b40}>
aws-session-token AWS_SESSION_TOKEN=<IQoJb3JpZ2luX2Vj{b200}>
datadog-api DD_API_KEY=<{h32}>
datadog-app DD_APP_KEY=<{h40}>
cohere CO_API_KEY=<{w40}>
mistral MISTRAL_API_KEY=<{w32}>
together TOGETHER_API_KEY=<{h64}>
azure-openai AZURE_OPENAI_API_KEY=<{h32}>
algolia ALGOLIA_ADMIN_KEY=<{h32}>
twilio-auth TWILIO_AUTH_TOKEN=<{h32}>
auth0 AUTH0_CLIENT_SECRET=<{s64}>
okta-token OKTA_API_TOKEN=<00{s40}>
cloudflare-token CLOUDFLARE_API_TOKEN=<{s40}>
cloudflare-global CLOUDFLARE_API_KEY=<{h37}>
fastly FASTLY_API_TOKEN=<{s32}>
codecov CODECOV_TOKEN=<{g}>
snyk SNYK_TOKEN=<{g}>
travis TRAVIS_TOKEN=<{w22}>
drone DRONE_TOKEN=<{w32}>
coinbase COINBASE_SECRET=<{w64}>
kraken KRAKEN_PRIVATE_KEY=<{b86}==>
kucoin KUCOIN_SECRET=<{g}>
confluent CONFLUENT_CLOUD_API_SECRET=<{b64}>
discord-client DISCORD_CLIENT_SECRET=<{s32}>
facebook FACEBOOK_APP_SECRET=<{h32}>
twitter-secret TWITTER_API_SECRET=<{w50}>
twitter-bearer TWITTER_BEARER_TOKEN=<AAAAAAAAAAAAAAAAAAAAAA{w90}>
twitch TWITCH_CLIENT_SECRET=<{l30}>
zendesk ZENDESK_API_TOKEN=<{w40}>
intercom INTERCOM_ACCESS_TOKEN=<{b60}>
rapidapi X-RapidAPI-Key: <{w50}>
elastic ELASTIC_PASSWORD=<{w24}>
meilisearch MEILI_MASTER_KEY=<{s43}>
nextauth NEXTAUTH_SECRET=<{b43}=>
django DJANGO_SECRET_KEY=<{w50}>
flask SECRET_KEY=<{h48}>
rails RAILS_MASTER_KEY=<{h32}>
laravel APP_KEY=base64:<{b43}=>
wordpress define('AUTH_KEY', '<{w64}>');
jwt-signing JWT_SECRET=<{w32}>
encryption ENCRYPTION_KEY=<{h64}>
session SESSION_SECRET=<{w40}>
cookie-signing COOKIE_SECRET=<{w32}>
postgres POSTGRES_PASSWORD=<{w16}>
mysql-root MYSQL_ROOT_PASSWORD=<{w16}>
pgpassword PGPASSWORD=<{w14}>
redis REDIS_PASSWORD=<{w20}>
smtp SMTP_PASS=<{w16}>
ldap LDAP_BIND_PASSWORD=<{w16}>
git-push GIT_PASSWORD=<{w18}>
my-key my-api-key: <{h32}>
key-prefix KEY_OPENWEATHER=<{h32}>
monday MONDAY_API_TOKEN=<{w60}>
sumologic SUMOLOGIC_ACCESS_KEY=<{w64}>
splunk SPLUNK_HEC_TOKEN=<{g}>
rollbar ROLLBAR_ACCESS_TOKEN=<{h32}>
bugsnag BUGSNAG_API_KEY=<{h32}>
amplitude AMPLITUDE_SECRET_KEY=<{h32}>
mixpanel MIXPANEL_API_SECRET=<{h32}>
segment SEGMENT_WRITE_KEY=<{w32}>
plaid-secret PLAID_SECRET=<{h30}>
paypal PAYPAL_CLIENT_SECRET=<E{s79}>
adyen ADYEN_API_KEY=<AQE{s100}>
`;

/** Secrets in lines of other forms: commands, URLs, files of settings, headers, keys in blocks. */
export const LINE_KINDS: string = `
bearer Authorization: Bearer <{w40}>
basic Authorization: Basic <{b32}>
api-key-header X-Api-Key: <{w32}>
auth-token-header X-Auth-Token: <{w32}>
private-token-header PRIVATE-TOKEN: <{w20}>
cookie-header Cookie: session=<{s40}>
set-cookie Set-Cookie: sid=<{s40}>; Path=/; HttpOnly
gitlab-session Cookie: _gitlab_session=<{h32}>
jsessionid https://shop.example.com/cart;jsessionid=<{H32}>
jwt token <eyJhbGciOiJIUzI1NiJ9.eyJ{s40}.{s43}>
url-password postgres://app:<{w16}>@db.internal:5432/main
mongo-url mongodb+srv://app:<{w16}>@cluster0.example.net/main
redis-url redis://:<{w20}>@cache.internal:6379/0
amqp-url amqp://guest:<{w16}>@rabbit.internal/vhost
git-url https://oauth2:<{w24}>@git.example.com/team/app.git
git-url-user https://<ghp_{w36}>@github.com/team/app.git
sentry-dsn https://{h32}:<{h32}>@o12.ingest.example.io/42
slack-webhook https://hooks.slack.com/services/<T{u8}/B{u10}/{w24}>
slack-workflow https://hooks.slack.com/workflows/<T{u8}/A{u10}/{d18}/{w24}>
discord-webhook https://discord.com/api/webhooks/<{d18}/{s68}>
teams-webhook https://acme.webhook.office.com/webhookb2/<{g}@{g}/IncomingWebhook/{h32}/{g}>
telegram-url https://api.telegram.org/bot<{d10}:AA{s33}>/getMe
azure-sas https://acme.blob.core.windows.net/c?sv=2024-11-04&sig=<{w43}%3D>
aws-presigned https://b.s3.amazonaws.com/k?X-Amz-Signature=<{h64}>
gcs-signed https://storage.googleapis.com/b/k?X-Goog-Signature=<{h128}>
query-key https://maps.example.com/v1?key=<{s39}>
query-access https://api.example.com/v1?access_token=<{w40}>
query-api-key https://api.example.com/v1?api_key=<{h32}>
azure-connection DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=<{b86}==>;EndpointSuffix=core.windows.net
azure-bus Endpoint=sb://a.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=<{b43}=>
ado-connection Server=db;Database=main;User Id=app;Password=<{w14}>;Encrypt=True
cli-password psqlx --user app --password <{w16}> --host db
cli-password-equals backup --password=<{w16}> --all
cli-short mysql -u root -p<{w14}> main
cli-token deploy --token <{w32}>
cli-api-key tool --api-key <{w32}>
curl-user curl -u deploy:<{w16}> https://ci.example.com
curl-header curl -H 'X-Api-Key: <{w32}>' https://api.example.com
docker-login docker login -u acme -p <{w20}> registry.example.com
sshpass sshpass -p <{w14}> ssh root@10.0.0.1
netrc machine api.example.com login app password <{w16}>
pgpass db.internal:5432:main:app:<{w16}>
npmrc //registry.example.org/:_authToken=<{w36}>
npmrc-old _auth=<{b40}=>
quoted-env export DB_PASSWORD="<{w10}-{w6}>"
yaml-password password: <{w12}>
yaml-block client_secret: |\\n  <{w40}>
xml-password <password><{w14}></password>
xml-attribute <add key="ApiKey" value="<{w32}>" />
nuget-config <add key="ClearTextPassword" value="<{w16}>" />
properties spring.datasource.password=<{w14}>
ini-secret secret = <{w24}>
python-dict {'api_key': '<{w32}>'}
ruby-hash { :password => "<{w14}>" }
js-object const config = { apiKey: "<{w32}>" };
go-struct Password: "<{w14}>",
tfvars db_password = "<{w14}>"
k8s-secret stringData:\\n  password: <{w16}>
docker-auth {"auths":{"r.example.com":{"auth":"<{b40}>"}}}
kubeadm kubeadm join 10.0.0.1:6443 --token <{l6}.{l16}>
jwk {"kty":"EC","crv":"P-256","d":"<{s43}>"}
wif WALLET=<5J{B49}>
rsa-pem -----BEGIN RSA {P} KEY-----\\n<{b64}>\\n-----END RSA {P} KEY-----
openssh-pem -----BEGIN OPENSSH {P} KEY-----\\n<{b64}>\\n-----END OPENSSH {P} KEY-----
pkcs8-pem -----BEGIN {P} KEY-----\\n<{b64}>\\n-----END {P} KEY-----
pgp-pem -----BEGIN PGP {P} KEY BLOCK-----\\n<{b64}>\\n-----END PGP {P} KEY BLOCK-----
putty PuTTY-User-Key-File-3: ssh-ed25519\\nPrivate-Lines: 1\\n<{b48}>\\nPrivate-MAC: {h64}
visa paid with <{C16:4}>
mastercard paid with <{C16:55}>
amex paid with <{C15:37}>
diners card <{C14:36}>
unionpay card <{C19:62}>
visa-grouped card <{V16:4}>
`;
