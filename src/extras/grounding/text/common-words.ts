/**
 * Words that carry grammar rather than content, chosen by hand. A claim that differs from its source only in these
 * words has the same meaning.
 */
const FUNCTION_WORDS = `
a an the this that these those such same other another each every either neither both all any some few many much more
most several enough own
i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
it its itself they them their theirs themselves one ones oneself someone somebody something anyone anybody anything
everyone everybody everything nobody nothing none who whom whose which what whatever whoever whichever
be am is are was were been being do does did done doing have has had having can could may might must shall should will
would ought cannot
and or but nor so yet for if then else than because since while whereas although though unless until till whether as
when whenever where wherever why how once
of to in on at by with from into onto upon about above below over under between among amongst through throughout during
before after against across along around behind beside besides beyond despite down inside outside near off out per
toward towards up via within without like unlike except
not no never also too very quite rather just only even still already again ever almost nearly soon now here there
thus hence therefore however moreover furthermore additionally meanwhile instead otherwise indeed perhaps maybe
s t d ll re ve m don doesn didn isn aren wasn weren hasn haven hadn won wouldn shouldn couldn can mustn
yes okay ok etc eg ie
`;

/**
 * Words so common that their presence or absence in a source means little. Chosen by hand from general knowledge of
 * English, not ranked by a corpus.
 */
const COMMON_WORDS = `
able accept according account act action actually add address affect age ago agree allow alone although always amount
answer appear apply approach area ask aspect available away back bad base based basis become became begin behavior
believe benefit best better big body book bring build business buy call called care carry case cause central certain
chance change child children choice choose city clear clearly close collect come common community company compare
complete concern condition consider consist contain continue control correct cost could country course create current
currently cut data date day days deal decide decision deep describe described design detail details determine develop
development difference different difficult direct discuss do document documents early easy effect effective effort
either element end ensure entire especially essential establish even event eventually evidence exact example exist
expect experience explain extend fact factor fall family far fast feature feel field figure final finally find fine
first five follow following follows force form found four free friend full further future gain general generally get
give given go goal going good great group grow hand happen hard head hear help helps high higher hold home hour house
human idea identify important impact improve include included includes including increase indicate individual
information instance intend interest involve involved issue item job join keep key kind know known lack language large
largely last late later latter lead learn least leave led left less let level life light likely limit line list little
live local located long longer look lose lot low lower made main mainly maintain major make makes making man manage
manner material matter mean means measure meet member mention method mind minute moment money month move multiple name
named natural nature necessary need needed needs new next night note number object obtain occur offer office often old
open opportunity option options order original originally others overall own page paper part particular particularly
party pass past pay people perform period person personal place plan play point position possible potential
potentially power practice present prevent previous primarily primary problem process produce product program project
proper provide provided provides public purpose put quality question quickly range reach read real really reason
receive recent recently recognize recommend record reduce refer regard related relate relatively remain remember
remove report represent require required requires research respect response rest result results return right rise role
room rule run same say says said school second section see seem sell send sense separate serve service set share short
show side significant significantly similar simple simply single situation size small social special specific
specifically stand start state states status stay step steps stop story strong study subject success suggest suitable
support sure system take taken talk team tell tend term terms test text thing things think thought three through time
times today together top total toward trade traditional true try turn two type types typical typically understand unit
use used useful user uses using usually value variety various vary view visit wait want water way ways week well whole
wide widely women word words work worked working works world write written wrong year years young
corp corporation inc ltd llc plc
`;

/** Function words in lower case. */
export const functionWords: ReadonlySet<string> = new Set(FUNCTION_WORDS.trim().split(/\s+/));

/** Common words in lower case. */
export const commonWords: ReadonlySet<string> = new Set(COMMON_WORDS.trim().split(/\s+/));
