// Conch session script, built from frontend/src. Do not edit.
(()=>{var{apply:pe,construct:mt,defineProperty:Se,getOwnPropertyDescriptor:Ht}=Reflect,{AbortController:ln,Array:Be,ArrayBuffer:it,
Blob:Lr,DOMException:Nr,DataView:ge,Error:ee,EventSource:vr,JSON:De,Map:V,Number:te,Object:O,Promise:xe,Proxy:Hr,RangeError:$,
Set:he,String:Br,TextDecoder:fn,TextEncoder:un,TypeError:U,URL:at,Uint32Array:Te,Uint8Array:M,WeakMap:dn,XMLHttpRequest:pn,
clearTimeout:hn,encodeURIComponent:gt,parseInt:ct}=globalThis,{abs:wn,floor:Ve,fround:mn,max:F,min:ne,random:Dr}=Math,Bt=Date.
now,gn=globalThis.performance?globalThis.performance.now.bind(globalThis.performance):Bt;function yn(e){return No.getRandomValues(
new M(e))}var Vr=Vt(globalThis.fetch),Dt=Vt(globalThis.setTimeout),zr=Vt(globalThis.setInterval),He=globalThis.console,yt={
error:He.error.bind(He),warn:He.warn.bind(He),info:He.info.bind(He)},{crypto:No}=globalThis,{addEventListener:vo,removeEventListener:Ho}=globalThis.
EventTarget.prototype;function Vt(e){return e&&e.bind(globalThis)}function ze(e,t,n,o){pe(vo,e,[t,n,o])}function Fe(e,t,n){
pe(Ho,e,[t,n])}function ye(e,t){let n=e&&Ht(e,t)?.get;return n?o=>pe(n,o,[]):o=>o[t]}function bn(e){let t=e.prototype,{send:n,close:o}=t,r=Ht(t,"binaryType")?.set,{MessageEvent:u,CloseEvent:f}=globalThis;return{
open(a,i){let s=mt(e,i===void 0?[a]:[a,i]);return r&&pe(r,s,["arraybuffer"]),s},send:(a,i)=>pe(n,a,[i]),close:(a,...i)=>pe(
o,a,i),readyState:ye(t,"readyState"),bufferedAmount:ye(t,"bufferedAmount"),protocol:ye(t,"protocol"),listen:ze,unlisten:Fe,
data:ye(u?.prototype,"data"),code:ye(f?.prototype,"code"),reason:ye(f?.prototype,"reason"),wasClean:ye(f?.prototype,"was\
Clean")}}function _n(e,t=yt){return{debugging:e.debug,error:(n,...o)=>t.error(`net [${n}]`,...o),note:(n,o)=>t.warn(`net [${n}] ${o}`),
debug:(n,o)=>{e.debug&&t.info(`net [${n}] ${o}`)}}}var zt=1<<20,Ft=te.MAX_SAFE_INTEGER,Bo=ye(it.prototype,"byteLength"),Do=new un,Vo=new fn("utf-8",{fatal:!0,ignoreBOM:!0});
function X(e){return Do.encode(e)}function Ae(e){return Vo.decode(e)}function ue(e){if(e instanceof be)return e._bytes.subarray(
0,e._length);if(it.isView(e))return new M(e.buffer,e.byteOffset,e.byteLength);if(e==null)return new M(0);try{Bo(e)}catch{
throw new U("bytes are a DataStream, an ArrayBuffer, a typed array or a DataView")}return new M(e)}var be=class{constructor(){
this._bytes=new M(64),this._view=new ge(this._bytes.buffer),this._length=0,this._at=0,this._limit=zt}static from(t){let n=ue(
t);if(n.length>zt)throw new $(`DataStream: ${n.length} bytes, at most ${zt} fit`);return lt(n.slice())}get length(){return this.
_length}get position(){return this._at}set position(t){if(!(t>=0&&t<=this._length)||t%1!==0)throw new $(`DataStream: no \
position ${t}`);this._at=t}toUint8Array(){return this._bytes.slice(0,this._length)}_grow(t){let n=this._at,o=n+t;if(o>this.
_limit)throw new $(`DataStream: at most ${this._limit} bytes fit`);if(o>this._bytes.length){let r=new M(F(o,this._bytes.
length*2));r.set(this._bytes),this._bytes=r,this._view=new ge(r.buffer)}return this._at=o,o>this._length&&(this._length=
o),n}_take(t){let n=this._at;if(n+t>this._length)throw new $("DataStream: read past the end");return this._at=n+t,n}writeU8(t){
let n=this._grow(1);this._view.setUint8(n,t)}writeI8(t){let n=this._grow(1);this._view.setInt8(n,t)}writeU16(t){let n=this.
_grow(2);this._view.setUint16(n,t,!0)}writeI16(t){let n=this._grow(2);this._view.setInt16(n,t,!0)}writeU32(t){let n=this.
_grow(4);this._view.setUint32(n,t,!0)}writeI32(t){let n=this._grow(4);this._view.setInt32(n,t,!0)}writeF32(t){let n=this.
_grow(4);this._view.setFloat32(n,t,!0)}writeF64(t){let n=this._grow(8);this._view.setFloat64(n,t,!0)}writeBool(t){this.writeU8(
t?1:0)}writeVarU(t){if(!(t>=0&&t<=Ft)||t%1!==0)throw new $(`DataStream: ${t} is no varint`);for(;t>127;)this.writeU8(t%128+
128),t=(t-t%128)/128;this.writeU8(t)}writeVarI(t){this.writeVarU(t<0?-t*2-1:t*2)}writeString(t){this.writeBytes(X(t))}writeBytes(t){
let n=ue(t);this.writeVarU(n.length),this.writeRaw(n)}writeRaw(t){let n=ue(t),o=this._grow(n.length);this._bytes.set(n,o)}readU8(){
return this._view.getUint8(this._take(1))}readI8(){return this._view.getInt8(this._take(1))}readU16(){return this._view.
getUint16(this._take(2),!0)}readI16(){return this._view.getInt16(this._take(2),!0)}readU32(){return this._view.getUint32(
this._take(4),!0)}readI32(){return this._view.getInt32(this._take(4),!0)}readF32(){return this._view.getFloat32(this._take(
4),!0)}readF64(){return this._view.getFloat64(this._take(8),!0)}readBool(){let t=this.readU8();if(t>1)throw new $("DataS\
tream: neither true nor false");return t===1}readVarU(){let t=0;for(let n=1;n<2**56;n*=128){let o=this.readU8();if(t+=(o&
127)*n,!(o>127)){if(t>Ft||o===0&&n>1)break;return t}}throw new $("DataStream: not a varint")}readVarI(){let t=this.readVarU();
return t%2?-(t+1)/2:t/2}readString(){return Ae(this.readRaw(this.readVarU()))}readBytes(){return this.readRaw(this.readVarU()).
slice()}readRaw(t){let n=this._take(t);return this._bytes.subarray(n,n+t)}};function lt(e){let t=new be;return t._bytes=
e,t._view=new ge(e.buffer,e.byteOffset,e.byteLength),t._length=e.length,t}function qe(){let e=new be;return e._limit=Ft,
e}var xn=65536,Tn=16,An=4096,Sn=te.MAX_SAFE_INTEGER,{hasOwnProperty:zo}=O.prototype,Ge=new ge(new M(8).buffer);function qt(e,{
size:t=xn,nesting:n=Tn,elements:o=An}={}){let r=new ge(e.buffer,e.byteOffset,e.byteLength),u=0;function f(d){let w=u;if(w+
d>e.length||w+d>t)throw new $("value is cut short or too long");return u+=d,w}function a(d){if(d<24)return d;if(d===24)return r.
getUint8(f(1));if(d===25)return r.getUint16(f(2));if(d===26)return r.getUint32(f(4));if(d!==27)throw new $("value of unk\
nown length");let w=f(8),y=r.getUint32(w)*2**32+r.getUint32(w+4);if(y>Sn)throw new $("number too large");return y}function i(d){
let w=a(d);if(w>o)throw new $(`${w} elements, at most ${o}`);return w}function s(d){let w=a(d),y=f(w);return e.subarray(
y,y+w)}function c(d){if(d===20||d===21)return d===21;if(d===22)return null;if(d===25)return qo(r.getUint16(f(2)));if(d===
26)return r.getFloat32(f(4));if(d===27)return r.getFloat64(f(8));throw new $("not a value of state")}function l(d){let w=r.
getUint8(f(1)),y=w&31,x=w>>5;if(d===0&&(x===4||x===5))throw new $("nested too deep");switch(x){case 0:return a(y);case 1:{
let A=a(y);if(A===Sn)throw new $("number too large");return-1-A}case 2:return s(y).slice();case 3:return Ae(s(y));case 4:{
let A=[];for(let I=i(y);I>0;I--)A.push(l(d-1));return O.freeze(A)}case 5:{let A={};for(let I=i(y);I>0;I--){let g=r.getUint8(
f(1));if(g>>5!==3)throw new $("a key that is no text");let S=Ae(s(g&31));if(pe(zo,A,[S]))throw new $("the same key twice");
Se(A,S,{value:l(d-1),enumerable:!0})}return O.freeze(A)}case 7:return c(y);default:throw new $("not a value of state")}}
return{value:l(n),length:u}}function Xe(e,t){let{value:n,length:o}=qt(e,t);if(o!==e.length)throw new $("bytes after the \
value");return n}function We(e,{size:t=xn,nesting:n=Tn,elements:o=An}={}){let r=qe();function u(s,c){let l=s<<5;if(c<24)
return r.writeU8(l|c);let p=c<2**8?0:c<2**16?1:c<2**32?2:3;r.writeU8(l|24+p),Ge.setUint32(0,c/2**32),Ge.setUint32(4,c),r.
writeRaw(new M(Ge.buffer,8-(1<<p)))}function f(s,c){u(s,c.length),r.writeRaw(c)}function a(s){if(te.isSafeInteger(s)&&(s!==
0||1/s>0))return s<0?u(1,-1-s):u(0,s);let c=mn(s)===s||s!==s;r.writeU8(c?250:251),c?Ge.setFloat32(0,s):Ge.setFloat64(0,s),
r.writeRaw(new M(Ge.buffer,0,c?4:8))}function i(s,c){if(r.length>t)throw new $(`a value of state has at most ${t} bytes`);
if(s===null||s===!1||s===!0)return r.writeU8(s===null?246:s?245:244);if(typeof s=="number")return a(s);if(typeof s=="str\
ing")return f(3,X(s));if(s instanceof M)return f(2,s);let l=Be.isArray(s);if(!l&&!Fo(s))throw new U("state holds null, b\
ooleans, numbers, texts, Uint8Array, lists and plain objects of these");if(c===0)throw new $(`a value of state nests at \
most ${n} deep`);let p=l?s:O.keys(s);if(p.length>o)throw new $(`a list or object in state has at most ${o} elements`);u(
l?4:5,p.length);for(let d of p)l||f(3,X(d)),i(l?d:s[d],c-1)}if(i(e,n),r.length>t)throw new $(`a value of state has at mo\
st ${t} bytes`);return r.toUint8Array()}function Fo(e){if(typeof e!="object")return!1;let t=O.getPrototypeOf(e);return t===
null||O.getPrototypeOf(t)===null}function qo(e){let t=e>>10&31,n=e&1023,o=t===31?n?NaN:1/0:t===0?n*2**-24:(1024+n)*2**(t-
25);return e&32768?-o:o}var Jt="conch.session.1",St="/_conch/session",Un=524288,Go=16<<20,En=4096,kn=1,xt=0,Ce=1,W=2,dt=["ok","no_handler","hand\
ler_threw","no_object","not_owner","rejected","rate_limited","queue_full","too_large","peer_gone","not_ready","no_owner",
"timeout","unknown"],R={read:e=>e.readVarU(),write:(e,t)=>e.writeVarU(t)},bt={read:e=>e.readU8(),write:(e,t)=>e.writeU8(
t)},On={read:e=>e.readU32(),write:(e,t)=>e.writeU32(t)},ut={read:e=>e.readBool(),write:(e,t)=>e.writeBool(t)},ft=e=>({read:t=>t.
readRaw(e).slice(),write:(t,n)=>t.writeRaw(n)}),$e=e=>({read:t=>t.readRaw(Tt(t.readVarU(),e)).slice(),write:(t,n)=>t.writeBytes(
n)}),Ye=(e,t=0)=>({read(n){let o=Tt(n.readVarU(),e);if(o<t)throw new $("a name that is empty");return Ae(n.readRaw(o))},
write:(n,o)=>n.writeBytes(X(o))}),_t=(e,t)=>({read(n){let o=[];for(let r=Tt(n.readVarU(),e);r>0;r--)o.push(t.read(n));return o},
write(n,o){n.writeVarU(o.length);for(let r of o)t.write(n,r)}}),v=(e,t)=>({read(n){let o={};for(let r in e)o[r]=e[r].read(
n);if(t&&!t(o))throw new $("a field out of range");return o},write(n,o){for(let r in e)e[r].write(n,o[r])}}),Xt={read(e){
let t=e.readVarU();if(t%4>W||t%4===xt&&t>0)throw new $("a target of no kind");return t},write:R.write},Xo={read(e){let t=e.
readVarU(),n=(t-t%2)/2;if(t%2)return{name:n,removed:!0,raw:new M(0),value:void 0};let o=e.position,{value:r,length:u}=qt(
e.readRaw(e.length-o));return e.position=o,{name:n,removed:!1,raw:e.readRaw(u).slice(),value:r}},write(e,t){e.writeVarU(
t.name*2+(t.removed?1:0)),e.writeRaw(t.raw)}},Wt=_t(1024,Xo),Rn=v({class:Ye(128),owner:R,persistent:ut}),jn={read(e){let t=Xt.
read(e),{class:n,owner:o,persistent:r}=t%4===W?Rn.read(e):{class:"",owner:0,persistent:!1};return{target:t,class:n,owner:o,
persistent:r,fields:Wt.read(e)}},write(e,t){e.writeVarU(t.target),t.target%4===W&&Rn.write(e,t),Wt.write(e,t.fields)}},In=Ye(
128,1),$n=$e(262144),Je=Ye(128),Gt=Ye(512),Cn=Ye(32),Wo=v({args:R,message:R,frames:R,framesBurst:R,bytes:R,bytesBurst:R,
calls:R,callsBurst:R,pingMillis:R,timeoutMillis:R,resumeMillis:R,callsInFlight:R}),T={hello:1,challenge:2,auth:3,welcome:4,
reject:5,ping:6,pong:7,bye:8,load:10,loaded:11,activate:12,names:19,snapBegin:20,snapPart:21,snapEnd:22,delta:23,spawn:24,
despawn:25,owner:26,resync:27,check:28,rpc:30,result:31,relayed:32},Mn={[T.hello]:v({minVersion:R,maxVersion:R,nonce:ft(
16),project:ft(32)}),[T.challenge]:v({version:R,nonce:ft(16),project:ft(32),need:bt,salt:$e(32),iterations:R}),[T.auth]:v(
{build:Je,session:Je,name:Je,kind:bt,spectator:ut,userData:$e(4096),proof:$e(32),resume:$e(16),loaded:R}),[T.welcome]:v(
{id:R,session:Je,token:ft(16),role:bt,resumed:ut,proof:$e(32),hostMicros:R,tickHz:R,limits:Wo}),[T.reject]:v({code:Cn,text:Gt,
retryAfterMillis:R}),[T.ping]:v({seq:R,t0:R}),[T.pong]:v({seq:R,t0:R,t1:R,t2:R}),[T.bye]:v({code:Cn,text:Gt}),[T.load]:v(
{transition:R,uuid:Je,name:Je,seamless:ut}),[T.loaded]:v({transition:R,ok:ut,text:Gt}),[T.activate]:v({transition:R}),[T.
names]:v({base:R,names:_t(En,Ye(128))},e=>e.base+e.names.length<=En),[T.snapBegin]:v({seq:R,size:R},e=>e.size<=Go),[T.snapPart]:{
read:e=>({data:e.readRaw(Tt(e.length-e.position,16384)).slice()}),write:(e,t)=>e.writeRaw(t.data)},[T.snapEnd]:v({crc:On}),
[T.delta]:v({prev:R,seq:R,changes:_t(65536,v({target:Xt,fields:Wt}))}),[T.spawn]:v({entity:jn},e=>e.entity.target%4===W),
[T.despawn]:v({target:Xt},e=>e.target!==xt),[T.owner]:v({object:R,owner:R}),[T.resync]:v({seq:R}),[T.check]:v({seq:R,crc:On}),
[T.rpc]:v({call:R,object:R,name:In,args:$n}),[T.result]:v({call:R,status:bt,value:$e(65536)}),[T.relayed]:v({from:R,object:R,
name:In,args:$n})};function Tt(e,t){if(e>t)throw new $(`longer than ${t}`);return e}function Ke(e,t){let n=qe();Mn[e].write(
n,t);let o=qe();return o.writeU8(e),o.writeU8(0),o.writeBytes(n),o.toUint8Array()}function Pn(e){let t=lt(e),n=[];do{let o=t.
readU8(),r=t.readU8();if(r&~kn)throw new $(`frame ${o} has unknown flags`);let u=t.readRaw(t.readVarU()),f=Mn[o];if(f)n.
push({type:o,weight:u.length,...f.read(lt(u))});else if(!(r&kn))throw new $(`unknown frame ${o}`)}while(t.position<t.length);
return n}var Ln=_t(65536,jn);function Nn(e){return Ln.read(lt(e))}function vn(e){let t=qe();return Ln.write(t,e),t._bytes.
subarray(0,t._length)}function Hn(e,{driver:t,log:n,origin:o}){let r=o.replace(/^http/,"ws"),u=0,f={error:(i,...s)=>n.error("session",i,...s),
note:i=>n.note("session",i),debug:i=>n.debug("session",i)},a=({host:i,port:s,secure:c})=>`${c?"wss":"ws"}://${i}:${s}${St}`;
return{connect(i,{projectId:s}){let c=a(i);if(!o)return Yt(t,c,Jt);let l=`u=${gt(c)}&project=${gt(s)}&n=${++u}`;return Yt(
t,`${r}/__conch/session/join?${l}`,Jt)},now:gn,wall:Bt,random:yn,setTimeout:(i,s)=>Dt(i,s),clearTimeout:i=>hn(i),storage:Yo(
e),places:new he,log:f,kind:o?"launcher":"browser",onWake(i){let{document:s}=e,c=()=>{s.visibilityState==="visible"&&i()};
return s&&ze(s,"visibilitychange",c),ze(e,"pageshow",i),ze(e,"online",i),()=>{s&&Fe(s,"visibilitychange",c),Fe(e,"pagesh\
ow",i),Fe(e,"online",i)}},host:o?{start:i=>Jo(`${o}/__conch/session/host`,i),link:i=>Yt(t,`${r}/__conch/session/link?hos\
t=${gt(i)}`,void 0)}:null}}function Yt(e,t,n){let o=e.open(t,n),r={onopen:null,onmessage:null,onclose:null,get bufferedAmount(){
return e.bufferedAmount(o)},send(a){e.readyState(o)===1&&e.send(o,a)},close(a,i){e.readyState(o)<2&&e.close(o,a,i)}};e.listen(
o,"open",()=>{if(n!==void 0&&e.protocol(o)!==n)return e.close(o,4002,"another protocol");r.onopen&&r.onopen()}),e.listen(
o,"message",a=>{r.onmessage&&r.onmessage(e.data(a))});let u=!1;function f(a,i){u||(u=!0,r.onclose&&r.onclose(a,i))}return e.
listen(o,"close",a=>f(e.code(a),e.reason(a))),e.listen(o,"error",()=>Dt(()=>{e.readyState(o)===3&&f(1006,"")},100)),r}function Jo(e,t){
let n={ok:!1,error:"the launcher did not answer",port:0,joinCode:"",dedicated:!1,maxArgs:0,hostMicros:0,link:""};try{let o=mt(
pn,[]);return o.open("POST",e,!1),o.setRequestHeader("Content-Type","application/json"),o.send(De.stringify(t)),O.assign(
n,De.parse(o.responseText))}catch{return n}}function Yo(e){try{return e.sessionStorage||null}catch{return null}}var Ko=/^(\*\.)?(\[[0-9a-f:.]+\]|[^\s:[\]/?#@\\*%]+)(?::([0-9]{1,5}))?$/i,Zo=/^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/,
Qo=/^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/,er=/^\d+\.\d+\.\d+\.\d+$/;function tr(e){let t=e.replace(/^\uFEFF/,"").replace(
/#.*/s,"").trim(),n=Ko.exec(t);if(!n)return null;let o=n[3]===void 0?0:te(n[3]);if(n[3]!==void 0&&(o<1||o>65535))return null;
let r;try{r=zn(new at(`ws://${n[2]}/`).hostname)}catch{return null}let u=n[1]!==void 0;return!r||u&&Fn(r)?null:{host:r,port:o,
wildcard:u}}function Bn(e){let t=[];for(let n of e){let o=tr(n);o&&t.push(o)}return t}function Dn(e,t){let n=At(t),o=nr(
t);return n?e.some(r=>(r.port===0||r.port===o)&&(r.wildcard?!Fn(n)&&n.endsWith("."+r.host):n===r.host)):!1}function At(e){
return zn(e.hostname)}function nr(e){return e.port?te(e.port):e.protocol==="wss:"||e.protocol==="https:"?443:80}function Vn(e){
let t=At(e);return t==="localhost"||t==="127.0.0.1"||t==="::1"}function zn(e){if(e.startsWith("[")){let n=e.slice(1,-1),
o=Qo.exec(n);if(!o)return n;let r=ct(o[1],16),u=ct(o[2],16);return`${r>>8}.${r&255}.${u>>8}.${u&255}`}let t=e.endsWith("\
.")?e.slice(0,-1):e;return t.length<=253&&Zo.test(t)?t:""}function Fn(e){return e.includes(":")||er.test(e)}var Kt=24642;function qn(e){let t=typeof e=="string"?e.trim():"",[,n,o]=/^(?:(ws|wss|http|https):\/\/)?(.+)$/i.exec(t)||
[];if(!o||/[\s\\?#@]/.test(o))return null;let r=!n&&/^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(o)?`[${o}]`:o,u=/s$/i.
test(n||"")&&!/^ws$/i.test(n||""),f;try{f=new at(`${u?"wss":"ws"}://${r}`)}catch{return null}let a=At(f),[,i=""]=/^\/j\/([0-9A-Za-z-]{1,16})$/.
exec(f.pathname)||[];if(!a||f.pathname!=="/"&&f.pathname!==St&&!i)return null;let s=/:(\d+)(?:\/|$)/.exec(r.replace(/^\[.*\]/,
"")),c=s?te(s[1]):u?443:Kt;if(c<1||c>65535)return null;let l=a.includes(":")?`[${a}]`:a;return{host:l,port:c,secure:u,text:`${l}\
:${c}`,code:i}}function Gn({host:e,port:t,secure:n},o){let r=new at(`${n?"wss":"ws"}://${e}:${t}/`);return Vn(r)||/\.local$/.
test(e)||or(e)||Dn(Bn(o),r)}function or(e){return/^(?:127|10)\.\d+\.\d+\.\d+$|^192\.168\.\d+\.\d+$|^169\.254\.\d+\.\d+$|^172\.(?:1[6-9]|2\d|3[01])\.\d+\.\d+$/.
test(e)||/^\[f(?:[cd][0-9a-f]{2}|e[89ab][0-9a-f]):/.test(e)}function Ee({log:e,later:t,cancel:n}){let o="pending",r,u=[];function f(i,s){if(o!=="pending")return;o=i,r=s;let c=u;u=[];
for(let l of c)l()}let a=O.freeze({get state(){return o},get result(){return o==="succeeded"?r:void 0},get error(){return o===
"failed"?r:void 0},onDone(i){if(typeof i!="function")throw new U("onDone: a listener is a function");let s=()=>{try{i(a)}catch(c){
e.error("onDone threw:",c)}};return o==="pending"?u.push(s):t(s),a},cancel(){return o!=="pending"||!n||!n()?!1:(t(()=>f(
"failed","cancelled")),!0)},then(i,s){let l=new xe((p,d)=>{let w=()=>o==="succeeded"?p(r):d(new ee(r));o==="pending"?u.push(
w):w()}).then(i,s);return l.catch(()=>{}),l}});return{op:a,succeed:i=>f("succeeded",i),fail:i=>f("failed",i)}}var rr=65536,sr=1e4;function Et({log:e,now:t,later:n}){let o=new V,r=new V,u=0;function f(a){let i=[...a.results.values()];
i.some(s=>s===null)||(r.delete(a.id),a.operation.succeed(a.many?O.freeze(i):i[0]))}return{handlers:o,get inFlight(){return r.
size},open(a,i,s){let c=++u,l=Ee({log:e,later:n,cancel:()=>s()&&r.delete(c)}),p={id:c,operation:l,many:i,results:new V,at:t(),
sent:!1,lost:!1,takeBack:s};for(let d of a)p.results.set(d,null);return r.set(c,p),p},settle(a,i,s,c,l=t()){let p=r.get(
a);if(!p||p.results.get(i)!==null)return;let d={callId:a,connectionId:i,rttMs:l-p.at,status:s};p.results.set(i,O.freeze(
c&&c.length?{...d,value:be.from(c)}:d)),f(p)},fail(a,i){let s=r.get(a);r.delete(a),s&&s.operation.fail(i)},failAll(a){for(let i of[
...r.keys()])this.fail(i,a)},linkLost(){for(let a of r.values())a.sent&&(a.lost=!0)},endLost(){for(let a of[...r.values()])
if(a.lost)for(let i of a.results.keys())this.settle(a.id,i,"unknown")},expire(){for(let a of[...r.values()])if(!(t()-a.at<
sr)){a.takeBack()&&this.fail(a.id,"timeout");for(let i of a.results.keys())this.settle(a.id,i,"timeout")}},handle(a,i,s){
let c=Ze(a);if(typeof i!="function")throw new U("onRpc: a handler is a function");let l={run:i,anyone:s};return o.set(c,
l),()=>o.get(c)===l&&o.delete(c)},run(a,i,s,c,l){let p=o.get(a);if(!p)return l("no_handler");let d=y=>{e.error(`the hand\
ler of the call ${a} threw:`,y),l("handler_threw")},w=y=>{let x=ue(y);x.length>rr?l("too_large"):l("ok",x.slice())};try{
let y=pe(p.run,void 0,[be.from(i),s,c]);y&&typeof y.then=="function"?y.then(w).then(void 0,d):w(y)}catch(y){d(y)}}}}function Ze(e){
let t=typeof e=="string"?X(e).length:0;if(t===0||t>128)throw new U("the name of a call is a text of 1 to 128 bytes");return e}var Xn=cr(64),ir=new Te(Xn.map(e=>Jn(e**(1/3)))),Wn=new Te(Xn.slice(0,8).map(e=>Jn(e**(1/2)))),ar=lr();function cr(e){let t=[
2];for(let n=3;t.length<e;n+=2)t.every(o=>n%o)&&t.push(n);return t}function Jn(e){return(e-Ve(e))*2**32}function Zt(e,t){
for(let c=16;c<64;c++){let l=t[c-15],p=t[c-2];t[c]=t[c-16]+t[c-7]+((l>>>7|l<<25)^(l>>>18|l<<14)^l>>>3)+((p>>>17|p<<15)^(p>>>
19|p<<13)^p>>>10)}let[n,o,r,u,f,a,i,s]=e;for(let c=0;c<64;c++){let l=s+((f>>>6|f<<26)^(f>>>11|f<<21)^(f>>>25|f<<7))+(f&a^
~f&i)+ir[c]+t[c]|0,p=((n>>>2|n<<30)^(n>>>13|n<<19)^(n>>>22|n<<10))+(n&o^n&r^o&r)|0;s=i,i=a,a=f,f=u+l|0,u=r,r=o,o=n,n=l+p|
0}e[0]+=n,e[1]+=o,e[2]+=r,e[3]+=u,e[4]+=f,e[5]+=a,e[6]+=i,e[7]+=s}function kt(e,t,n){let o=0;for(let s of t)o+=s.length;
let r=new M(o+9+63&-64),u=0;for(let s of t)r.set(s,u),u+=s.length;r[u]=128;let f=new ge(r.buffer);f.setUint32(r.length-8,
(n+o)/2**29),f.setUint32(r.length-4,(n+o)*8);let a=e.slice(),i=new Te(64);for(let s=0;s<r.length;s+=64){for(let c=0;c<16;c++)
i[c]=f.getUint32(s+c*4);Zt(a,i)}return a}function Ot(e){let t=new M(32),n=new ge(t.buffer);return e.forEach((o,r)=>n.setUint32(
r*4,o)),t}var Yn=e=>e.map(t=>typeof t=="string"?X(t):t);function Qe(...e){return Ot(kt(Wn,Yn(e),0))}function Kn(e){let t=e.
length>64?Qe(e):e;return[54,92].map(n=>{let o=new Te(64);for(let u=0;u<64;u++)o[u>>2]|=((t[u]||0)^n)<<24-u%4*8;let r=Wn.
slice();return Zt(r,o),r})}function Qt(e,...t){let[n,o]=Kn(e);return Ot(kt(o,[Ot(kt(n,Yn(t),64))],64))}function Zn(e,t,n,o){
let[r,u]=Kn(X(e)),f=new Te(64),a=new Te(8),i=l=>{f.set(a),f.fill(0,8,16),f[8]=2147483648,f[15]=768,a.set(l),Zt(a,f)};a.set(
kt(r,[t,new M([0,0,0,1])],64)),i(u);let s=a.slice(),c=n-1;return new xe(l=>{let p=()=>{for(let d=2e3;d>0&&c>0;d--,c--){i(
r),i(u);for(let w=0;w<8;w++)s[w]^=a[w]}c>0?o(p):l(Ot(s))};p()})}function lr(){let e=new Te(256);for(let t=0;t<256;t++){let n=t;
for(let o=0;o<8;o++)n=n&1?n>>>1^2197175160:n>>>1;e[t]=n}return e}function Rt(e){let t=-1;for(let n=0;n<e.length;n++)t=ar[(t^
e[n])&255]^t>>>8;return~t>>>0}function et(e,t){return e.length===t.length&&e.every((n,o)=>n===t[o])}var en=1,fr=1e6;function Qn(e,{address:t,projectId:n,resuming:o,secret:r,auth:u,onWelcome:f,onFrame:a,onEnd:i}){let s=e.
random(16),c="dial",l=null,p=e.connect(t,{projectId:n});p.onopen=()=>{c==="dial"&&(c="hello",g(T.hello,{minVersion:en,maxVersion:en,
nonce:s,project:Qe("conch.session.1 client",s,n)}))},p.onmessage=_=>{if(c!=="ended")try{if(typeof _=="string")throw new $(
"a text message");if(_.byteLength>Un)throw new $("message too long");for(let E of Pn(new M(_)))d(E)}catch(E){e.log.debug(
`the host broke the protocol: ${E}`),A(c==="live"?"protocol_error":"not_a_host")}},p.onclose=(_,E)=>I({code:_,reason:E,text:""});
function d(_){if(c!=="ended")if(c==="live")_.type===T.bye?I({code:0,bye:_.code,text:_.text}):a(_);else if(_.type===T.reject)
I({code:4003,reject:_.code,text:_.text,retryAfter:_.retryAfterMillis});else if(_.type===T.challenge&&c==="hello")w(_);else if(_.
type===T.welcome&&c==="auth")x(_);else throw new $(`frame ${_.type} while joining`)}function w({version:_,nonce:E,project:H,
need:P,salt:J,iterations:B}){if(!et(H,Qe("conch.session.1 host",s,E,n)))return A("not_a_host");if(_!==en)return A("proto\
col_version");if(P>2||B>fr)return A("not_a_host");if(c="auth",P===0||o)return y(new M(0));let oe=r(P);if(oe===null)return A(
P===1?"bad_password":"bad_code");Zn(oe,J,B,D=>e.setTimeout(D,0)).then(D=>{c==="auth"&&(l=Qt(D,"conch.session.1 welcome",
s,E,n),y(Qt(D,"conch.session.1 join",s,E,n)))})}function y(_){g(T.auth,{...u(),proof:_})}function x(_){if(l&&!et(_.proof,
l)||_.resumed!==o)return A("not_a_host");c="live",f(_)}function A(_){c==="live"&&g(T.bye,{code:"protocol_error",text:""}),
I({code:0,fault:_,text:""},4002,_)}function I(_,E=4e3,H="left"){if(c==="ended")return;let P=c;c="ended",p.close(E,H),i({
stage:P,..._})}function g(_,E){S(Ke(_,E))}function S(_){c!=="ended"&&p.send(_)}return{send:g,write:S,get live(){return c===
"live"},get opened(){return c!=="dial"},close(_,E){c==="live"&&g(T.bye,{code:E,text:""}),c!=="ended"&&p.close(_,E),c="en\
ded"}}}var le=xt,Ue=e=>e*4+Ce,pt=e=>e*4+W,Q=e=>(e-e%4)/4;function tt(e,t,n,o,r){let u="",f={target:t,typeName:n,owner:o,persistent:r,
fields:new V,view:{}},a={get uuid(){return u||(u=pr(e.sessionId,t))},get typeName(){return f.typeName},get:i=>ur(f,`${i}`),
set:(i,s)=>dr(e,f,`${i}`,s),names:()=>[...f.fields.keys()]};return t%4===W&&O.defineProperties(a,{netObjectId:{value:Q(t),
enumerable:!0},owner:{get:()=>f.owner,enumerable:!0},persistent:{get:()=>f.persistent,enumerable:!0},isMine:{get:()=>f.owner===
e.localConnectionId,enumerable:!0}}),f.view=O.freeze(a),f}function to(e,t){for(let n=t.length;n>0;n=t.lastIndexOf(".",n-
1)){let o=t.slice(0,n),r=e.fields.get(o);if(r)return{name:o,value:r.value,rest:n<t.length?t.slice(n+1).split("."):[]}}return null}
var no=e=>typeof e=="object"&&e!==null&&!it.isView(e);function ur(e,t){let n=to(e,t);if(!n)return;let{value:o}=n;for(let r of n.
rest){if(!no(o)||!O.prototype.hasOwnProperty.call(o,r))return;o=o[r]}return o}function dr(e,t,n,o){if(!e.writable)throw new ee(
"only the session host changes state, while the session is active");let r=to(t,n);if(!r||r.rest.length===0)return eo(e,t,
n,o);eo(e,t,r.name,oo(r.value,r.rest,o))}function oo(e,[t,...n],o){if(!no(e))throw new U(`state: nothing can be set at ${t}\
, its parent holds no list or object`);let r=Be.isArray(e);if(r&&!(te(t)<=e.length))throw new U(`state: ${t} is no posit\
ion of the list`);let u=r?[...e]:{...e},f=O.prototype.hasOwnProperty.call(u,t);return n.length>0&&(o=oo(f?u[t]:{},n,o)),
o!==void 0?O.defineProperty(u,t,{value:o,enumerable:!0,writable:!0,configurable:!0}):r?u.splice(te(t),1):delete u[t],u}function eo(e,t,n,o){
let r=X(n).length;if(r===0||r>128)throw new U("state: a name has 1 to 128 bytes");if(o===void 0){t.fields.delete(n)&&e.changed(
t,n,null);return}let u=We(o),f=Xe(u);t.fields.set(n,{key:0,raw:u,value:f}),e.changed(t,n,u)}function pr(e,t){return tn(Qe(
`${e}
${t}`),128)}function tn(e,t){let n=e.slice(0,16);return n[6]=n[6]&15|t,n[8]=n[8]&63|128,nn(n).replace(/^(.{8})(.{4})(.{4})(.{4})/,
"$1-$2-$3-$4-")}function nn(e){let t="";for(let n of e)t+=(n+256).toString(16).slice(1);return t}function hr(e){return tn(e.random(16),64)}function je(e,{uuid:t,name:n,tid:o},r){let u=r&&typeof r.instanceId=="string"?
r.instanceId:hr(e);return O.freeze({...r,instanceId:u,scene:O.freeze({uuid:t,name:n}),transitionId:o})}function ro(e){if(!e||
typeof e.uuid!="string"||e.uuid===""||e.uuid.length>36)throw new U("hostLoadScene: a scene has a uuid and a name");return{
uuid:e.uuid,name:`${e.name===void 0?"":e.name}`}}var wr=["protocol_version","wrong_project","wrong_session","build_mismatch","bad_password","bad_code","full","banned","a\
pproval_timeout","approval_error","host_stopping","rate_limited","bad_token","timeout","protocol_error"];function Me(e){
return e.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,"").trim()}function ke(e,t){let n=X(e);if(n.length<=t)return e;let o=t;for(;o>
0&&(n[o]&192)===128;)o--;return Ae(n.subarray(0,o))}function $t(e){return[...Me(`${e}`)].slice(0,32).join("")}function It(e,t){
let n=Me(t);return n?`${e}: ${n}`:e}function io({stage:e,code:t,bye:n,reject:o,fault:r,text:u}){return o==="build_mismat\
ch"?It(o,u):o?wr.includes(o)?o:It("refused",u):r||(n==="host_stopped"||t===4001?"host_stopping":n==="kicked"?It("refused",
u):e==="hello"?"not_a_host":"unreachable")}var so={kicked:"kicked",4004:"kicked",host_stopped:"host_stopped",host_stopping:"\
host_stopped",left:"host_stopped",local_stop:"host_stopped",4e3:"host_stopped",4001:"host_stopped",replaced:"replaced",4009:"\
replaced",rate_limited:"rate_limited",4008:"rate_limited",protocol_error:"protocol_error",4002:"protocol_error",1002:"pr\
otocol_error",1009:"protocol_error",scene_load_failed:"scene_load_failed",scene_load_timeout:"scene_load_timeout",4011:"\
scene_load_failed"};function on(e,t){let n=O.prototype.hasOwnProperty.call(so,e)?so[e]:"connection_lost";return n==="kic\
ked"||n==="scene_load_failed"?It(n,t):n}function Ct(e){return e.toUpperCase().replace(/[\s-]/g,"").replace(/O/g,"0").replace(
/[I1]/g,"L").replace(/U/g,"V")}function ao(e,{say:t,sceneLoader:n,leave:o,report:r,later:u,appear:f}){let a={tid:0,name:"",uuid:"",loaded:null,reported:!1,
failure:"",asked:!1,active:!1},i=null,s=0;function c(){r({transition:a.tid,ok:a.failure==="",text:a.failure})}function l(){
a.active||!a.loaded||(a.active=!0,i=a.loaded,f(),t("onClientSceneActivate",a.tid))}function p(d,w,y){a.tid===0&&e.log.note(
"notifyClientSceneLoaded: the host has not asked for a scene"),!(!d||d.transitionId!==a.tid||a.reported)&&(a.reported=!0,
w?(a.loaded=je(e,a,d),s=a.tid):a.failure=ke(y||"the scene could not be loaded",512),c(),w&&a.asked&&u(l))}return{get active(){
return i},get lastLoaded(){return s},get ready(){return a.tid===0||a.loaded!==null},load({transition:d,uuid:w,name:y,seamless:x}){
if(d<a.tid)return;if(d===a.tid)return a.reported?c():void 0;o(x),a={tid:d,name:y,uuid:w,loaded:null,reported:!1,failure:"",
asked:!1,active:!1};let A=a;t("onClientSceneLoadRequested",w,y,x,d);let I=n();typeof I=="function"&&new xe(g=>g(I({uuid:w,
name:y},x))).then(g=>p({...je(e,A,g)},!0,""),g=>{e.log.error(`the scene ${y} could not be loaded:`,g),p({transitionId:d},
!1,g instanceof ee?g.message:"")})},activate(d){d===a.tid&&(a.asked=!0,l())},loaded:p}}function Ut({ids:e,gameState:t,playerState:n,playerStates:o,objects:r,onRpc:u,change:f}){let a=co(o),i=co(r);function s(){
if(!f)throw new ee("only the session host spawns, despawns and gives objects away");return f}return O.seal({get sessionId(){
return e().sessionId},get projectId(){return e().projectId},get buildHash(){return e().buildHash},get gameState(){return t()||
null},get playerState(){return n()||null},get playerStates(){return a},get objects(){return i},spawn:(c,l,p)=>s().spawn(
c,l,p),despawn:c=>s().despawn(c),setOwner:(c,l)=>s().setOwner(c,l),onRpc:(c,l,p)=>u(c,l,!!(p&&p.anyone)),sceneLoader:void 0})}
var mr=["get","has","keys","values","entries"];function co(e){let t={get size(){return e.size},forEach:n=>e.forEach((o,r)=>n(
o,r,t)),[Symbol.iterator]:()=>e[Symbol.iterator]()};for(let n of mr)t[n]=o=>e[n](o);return O.freeze(t)}var gr=16,lo=4,fo=2,uo=250,po=2e3,ho=.05;function wo(){let e=[],t=!1,n=0,o=0,r=0,u=ho,f=0;function a(s){let c=F(0,(s-o)*
u);return n+ne(F(r-n,-c),c)}function i(s,c){n=t?a(c):s,t=!0,o=c,u=ho,r=s;let l=s-n;return wn(l)<fo?r=n:l>uo||l<-po?n=s:l<
-uo&&(u=.5),l>=-po?!1:(f=0,!0)}return{get synced(){return t},start(s,c){t||(r=n=s-c,o=c,t=!0)},sample(s,c,l,p){let d=p-s-
(l-c);if(s>p||c>l||d<0||e.length>=lo&&d>3*rn(e.map(y=>y.rtt))+fo)return!1;e.push({offset:(c-s+(l-p))/2,rtt:d}),e.length>
gr&&e.shift();let w=[...e].sort((y,x)=>y.rtt-x.rtt).slice(0,lo);return i(rn(w.map(y=>y.offset)),p)},reset(){e=[]},get rtt(){
return e.length?rn(e.map(s=>s.rtt)):0},now(s){return f=F(f,s+a(s)),f}}}function rn(e){let t=[...e].sort((o,r)=>o-r),n=t.
length>>1;return t.length%2?t[n]:(t[n-1]+t[n])/2}var yr=8,mo=50,br=5e3,go=3e3;function jt(e,{ping:t,silent:n}){let o=wo(),r=new V,u=0,f=0,a=0,i=0,s=2e3,c=1e4,l=!1,p=0,d=0;
function w(){let I=Ve(e.now()*1e3);r.size>64&&r.clear(),r.set(++u,I),t(u,I)}function y(){e.clearTimeout(d);let I=yr,g=()=>{
l&&w(),--I>0&&(d=e.setTimeout(g,mo))};g()}function x(){f=ne(f,e.now()-c+go),r.clear(),o.reset(),y(),A(go+mo)}function A(I){
e.clearTimeout(p),a=e.now(),i=e.wall();let g=I;p=e.setTimeout(()=>{if(F(e.now()-a,e.wall()-i)>g+br)return x();if(e.now()-
f>c)return n();w(),A(s)},I)}return{clock:o,start({pingMillis:I,timeoutMillis:g},S){s=F(250,ne(I,6e4)),c=F(2e3,ne(g,6e5)),
l=!0,f=e.now(),o.start(S/1e3,f),r.clear(),o.reset(),y(),A(s)},stop(){l=!1,e.clearTimeout(p),e.clearTimeout(d)},hear(){f=
e.now()},pong({seq:I,t0:g,t1:S,t2:_}){let E=r.get(I);E===void 0||E!==g||(r.delete(I),o.sample(E/1e3,S/1e3,_/1e3,e.now())&&
e.log.note("the clock of the session went back"))},wake(){l&&x()}}}var _r=.95,yo=.9;function bo(e,t){let n=[],o=null,r=0,u=0;function f(){let i=e.now();for(let s of o||[])s.have=ne(s.burst,
s.have+s.rate*(i-r)/1e3);r=i}function a(){if(e.clearTimeout(u),!!o)for(f();n.length>0;){let{frame:i,isCall:s,sent:c}=n[0],
l=[1,i.length,s?1:0],p=0;if(o.forEach((d,w)=>{p=F(p,(ne(l[w],d.burst)-d.have)/d.rate)}),p>0){u=e.setTimeout(a,ne(p,1)*1e3+
1);return}o.forEach((d,w)=>{d.have-=l[w]}),n.shift(),t(i),c&&c()}}return{send(i){n.push(i),a()},cancel(i){let s=n.length;
return n=n.filter(c=>c!==i),n.length<s},start(i){let s=(c,l)=>({rate:F(c*_r,.001),burst:F(l*yo,1),have:F(l*yo,1)});o=[s(
i.frames,i.framesBurst),s(i.bytes,i.bytesBurst),s(i.calls,i.callsBurst)],r=e.now(),a()},pause(){e.clearTimeout(u),o=null,
n=n.filter(i=>i.isCall)},stop(){this.pause(),n=[]}}}function So(e,t){let n=new V,o=new V,r=new V,u=new he,f=-1;function a(l,p,d,w){let y=tt(e,l,p,d,w);return n.set(l,y),l%4===
W&&o.set(Q(l),y.view),l%4===Ce&&r.set(Q(l),y.view),y}function i(l){n.delete(l)&&(u.delete(l),l%4===Ce&&r.delete(Q(l)),l%
4===W&&o.delete(Q(l))&&t.removed(Q(l)))}function s(l,p){for(let{name:d,key:w,removed:y,raw:x,value:A}of p){let I=l.fields.
get(d);(y?I:!I||!et(I.raw,x))&&u.add(l.target),y?l.fields.delete(d):l.fields.set(d,{key:w,raw:x,value:A})}}function c(l){
let{target:p,class:d,owner:w,persistent:y,fields:x}=l,A=n.get(p);A&&A.typeName!==_o(p,d)&&(i(p),A=void 0);let I=!A;A||(A=
a(p,_o(p,d),w,y));let g=A.fields;A.fields=new V;for(let{name:S,key:_,raw:E,value:H}of x)A.fields.set(S,{key:_,raw:E,value:H});
(I||A.owner!==w||!Sr(g,A.fields))&&u.add(p),A.owner=w,A.persistent=y,!(!I||p%4!==W)&&(u.delete(p),t.appeared(Q(p)))}return a(
le,"GameState",0,!1),{objects:o,players:r,get seq(){return f},get gameState(){return n.get(le)?.view},playerState:l=>n.get(
Ue(l))?.view,snapshot(l,p){let d=new he([le]);c({target:le,class:"",owner:0,persistent:!1,fields:[],...p.find(w=>w.target===
le)});for(let{target:w}of p)d.add(w);for(let w of[...n.keys()])d.has(w)||i(w);for(let w of p)w.target!==le&&c(w);f=l},delta({
prev:l,seq:p,changes:d}){if(l!==f)return!1;for(let{target:w,fields:y}of d){let x=n.get(w)||(w%4===Ce?a(w,"PlayerState",0,
!1):void 0);x&&s(x,y)}return f=p,!0},spawn(l){i(l.target),c(l)},despawn:i,setOwner(l,p){let d=n.get(l);!d||d.owner===p||
(d.owner=p,u.add(l))},dropObjects(l){for(let p of[...n.values()])p.target%4===W&&!(l&&p.persistent)&&i(p.target)},checksum(){
let l=[...n.values()].sort((p,d)=>p.target-d.target).map(p=>({target:p.target,class:p.typeName,owner:p.owner,persistent:p.
persistent,fields:[...p.fields.values()].sort((d,w)=>d.key-w.key).map(({key:d,raw:w})=>({name:d,removed:!1,raw:w,value:null}))}));
return Rt(vn(l))},takeChanged(){let l=[...u];return u.clear(),l}}}function _o(e,t){return e%4===W?t:e%4===Ce?"PlayerStat\
e":"GameState"}function Sr(e,t){if(e.size!==t.size)return!1;for(let[n,{raw:o}]of e){let r=t.get(n);if(!r||!et(o,r.raw))return!1}
return!0}function xo(e,{projectId:t,sessionId:n},o){let r=1,u=()=>`conch.session ${t} ${o.text} ${r}`;for(;e.places.has(u());)r++;
let f=u();e.places.add(f);let a=null;try{let i=De.parse(e.storage?.getItem(f)||"");(!n||n===i.session)&&/^[0-9a-f]{32}$/.
test(i.token)&&(a=new M(16).map((c,l)=>ct(i.token.slice(l*2,l*2+2),16)))}catch{}return{get token(){return a},keep(i,s){a=
i;try{e.storage?.setItem(f,De.stringify({token:nn(i),session:s}))}catch{}},forget(){a=null;try{e.storage?.removeItem(f)}catch{}},
leave(){e.places.delete(f)}}}var xr=5e3,To=[0,250,500,1e3,2e3],Tr=[1001,1005,1006,4005,4010],Ar=8,Er=["launcher","browser"];function Ao(e,{mail:t,emit:n,
finished:o},r,u){let{projectId:f}=r,a=xo(e,r,u),i=0,s="",c="player",l={},p=!1,d=!1,w=!1,y=!1,x=null,A=0,I=!1,g=0,S=0,_=0,
E=[],H=null,P=!1,J=!0,B=jt(e,{ping:(h,k)=>x?.send(T.ping,{seq:h,t0:k}),silent:()=>{I=!0,x?.close(4005,"timeout"),we()}}),
oe=bo(e,h=>x?.write(h)),D=Et({log:e.log,now:e.now,later:h=>t.post(h,"always")}),Re={get sessionId(){return s},get localConnectionId(){
return i},writable:!1,changed(){}},de=new he,L=So(Re,{appeared(h){d&&fe.ready?re("onClientObjectReplicated",h):de.add(h)},
removed(h){de.delete(h)||re("onClientObjectRemoved",h)}}),fe=ao(e,{say:re,sceneLoader:()=>y?void 0:ht.sceneLoader,leave:L.
dropObjects,report:h=>oe.send({frame:Ke(T.loaded,h),isCall:!1}),later:h=>t.post(h),appear:Pe}),ht=Ut({ids:()=>({sessionId:s,
projectId:f,buildHash:r.buildHash}),gameState:()=>L.gameState,playerState:()=>L.playerState(i),playerStates:L.players,objects:L.
objects,onRpc:D.handle,change:null});function re(h,...k){y||n(h,...k)}function wt(){d=!0,re("onSessionStarted"),L.takeChanged(),
re("onClientGameStateReplicated",L.gameState),L.playerState(i)&&re("onClientPlayerStateReplicated",L.playerState(i)),Pe()}
function Pe(){if(!d||!fe.ready)return;let h=[...de];de.clear();for(let k of h)re("onClientObjectReplicated",k)}function Ie(){
J||!x||(J=!0,oe.send({frame:Ke(T.resync,{seq:F(L.seq,0)}),isCall:!1}))}function Le({name:h,args:k,from:N,object:G},z){if(G!==
0&&!L.objects.has(G))return z("no_object");D.run(h,k,N,G,z)}function Ne(h){e.clearTimeout(_),p&&(e.clearTimeout(S),S=e.setTimeout(
()=>{x?.close(4005,"timeout"),me()},F(1e3,ne(xr,K()))));try{x=ve(h)}catch(k){p?me():ae("unreachable",k instanceof ee?k.message:
"")}}function ve(h){return Qn(e,{address:u,projectId:f,resuming:h,secret:k=>k===1?r.password===void 0?null:r.password:r.
joinCode||Ct(u.code)||null,auth:()=>({build:r.buildHash,session:r.sessionId,name:r.playerName,kind:Er.indexOf(e.kind),spectator:r.
asSpectator,userData:r.userData,resume:h&&a.token?a.token:new M(0),loaded:fe.lastLoaded}),onWelcome:m,onFrame:b,onEnd:k=>ie(
k,h)})}function m(h){if(p&&h.id!==i)throw new $("another seat");if(h.id<2)throw new $("a seat that no client has");e.clearTimeout(
S),i=h.id,s=h.session,c=h.role===1?"spectator":"player",l=h.limits,E=[],H=null,P=!1,J=!0,a.keep(h.token,s),oe.start(l),B.
start(l,h.hostMicros),p?(g=0,I=!1,t.post(()=>{D.endLost(),re("onClientConnectionResumed")})):S=e.setTimeout(()=>ae("time\
out","the host sent no state"),r.timeoutMs)}function b(h){if(B.hear(),t.flooded)throw new $("more than anybody can read");
switch(h.type){case T.ping:{let k=Ve(e.now()*1e3);return x?.send(T.pong,{seq:h.seq,t0:h.t0,t1:k,t2:k})}case T.pong:return B.
pong(h);case T.load:return t.post(()=>fe.load(h));case T.activate:return t.post(()=>fe.activate(h.transition));case T.result:{
let k=e.now(),N=h.status<=Ar?dt[h.status]:"unknown";return t.post(()=>D.settle(h.call,1,N,h.value,k),"keep",h.weight)}case T.
rpc:return C(h);case T.relayed:{t.full||t.post(()=>Le(h,()=>{}),"call",h.weight);return}default:return j(h)}}function C(h){
let k=x,N=(G,z=new M(0))=>{h.call===0||!k||!k.live||k!==x||k.send(T.result,{call:h.call,status:dt.indexOf(G),value:z})};
if(t.full)return N("queue_full");t.post(()=>Le({...h,from:1},N),"call",h.weight)}function j(h){switch(h.type){case T.names:
if(h.base!==E.length)throw new $("a gap in the table of names");E.push(...h.names);return;case T.snapBegin:H={seq:h.seq,
size:h.size,got:0,parts:[]};return;case T.snapPart:if(!H||(H.got+=h.data.length)>H.size)throw new $("a part too much");H.
parts.push(h.data);return;case T.snapEnd:return se(h.crc);case T.delta:{let k=h.changes.map(z=>({target:z.target,fields:q(
z.fields)})),{prev:N,seq:G}=h;return Y(h.weight,()=>{L.delta({prev:N,seq:G,changes:k})||Ie()})}case T.spawn:{let k={...h.
entity,fields:q(h.entity.fields)};return Y(h.weight,()=>L.spawn(k))}case T.despawn:return Y(h.weight,()=>L.despawn(h.target));case T.
owner:return Y(h.weight,()=>L.setOwner(h.object*4+W,h.owner));case T.check:return Y(h.weight,()=>{!J&&(L.seq!==h.seq||L.
checksum()!==h.crc)&&Ie()});default:throw new $(`a host does not send frame ${h.type}`)}}function q(h){return h.map(({name:k,
removed:N,raw:G,value:z})=>{let ce=E[k];if(ce===void 0)throw new $("a name that is not in the table");return{name:ce,key:k,
removed:N,raw:G,value:z}})}function se(h){if(!H)throw new $("the end of no snapshot");let{seq:k,size:N,got:G,parts:z}=H;
H=null;let ce=new M(N),vt=0;for(let st of z)ce.set(st,vt),vt+=st.length;if(G!==N||Rt(ce)!==h)throw new $("a damaged snap\
shot");let Lo=Nn(ce).map(st=>({...st,fields:q(st.fields)}));Y(N,()=>{J=!1,L.snapshot(k,Lo),d?Pe():wt()}),!(p||P)&&(p=!0,
e.clearTimeout(S))}function Y(h,k){t.full&&!P&&(t.dropState(),P=!0),P||t.post(k,"state",h)}function ie(h,k){if(w)return;
let{code:N,bye:G,reject:z,fault:ce}=h;if(!p)return k&&z==="bad_token"?(a.forget(),Ne(!1)):ae(io(h),h.text);if(z)return z===
"bad_token"||z==="host_stopping"?ae(on(z,"")):me();if(!(ce?h.stage!=="live":G?G==="timeout"||G==="slow_consumer":Tr.includes(
N)))return ae(on(G||ce||N,h.text));h.stage==="live"?we():me()}function we(){if(B.stop(),oe.pause(),!p)return ae("unreach\
able");x=null,A=e.now(),D.linkLost(),t.post(()=>re("onClientConnectionLost")),g=0,me()}function K(){return A+F(1e3,ne(l.
resumeMillis,6e5))-e.now()}function me(){x=null,e.clearTimeout(S),e.clearTimeout(_);let h=K();if(h<=0)return ae(I?"host_\
not_responding":"connection_lost");let k=To[ne(g++,To.length-1)];_=e.setTimeout(()=>Ne(!0),ne(k,h))}let Z=e.onWake(()=>{
w||(x&&x.live?B.wake():p&&!x&&(g=0,Ne(!0)))});function ae(h,k=""){w||(w=!0,Z(),B.stop(),oe.stop(),e.clearTimeout(S),e.clearTimeout(
_),x?.close(4e3,"left"),x=null,p&&a.forget(),a.leave(),t.post(()=>{y=!0,d=!1,D.failAll(h);let N=Me(k);o(!N||h.endsWith(N)?
h:`${h}: ${N}`),n(p?"onSessionStopped":"onClientJoinFailed",h)},"always"))}return S=e.setTimeout(()=>ae("timeout"),r.timeoutMs),
Ne(a.token!==null),{mode:"client",isAuthority:!1,hostPort:0,peers:[],get isSessionActive(){return d&&!y},get localConnectionId(){
return d&&!y?i:0},get localRole(){return d&&!y?c:"none"},get sessionId(){return d&&!y?s:""},get activeScene(){return fe.
active},get context(){return d&&!y?ht:null},serverTime:()=>d&&B.clock.synced?B.clock.now(e.now()):e.wall(),stop(){t.discard(),
ae(p?"local_stop":"cancelled"),d=!1,y=!0},update(){if(!y){D.expire();for(let h of L.takeChanged())h===le?re("onClientGam\
eStateReplicated",L.gameState):h===Ue(i)?re("onClientPlayerStateReplicated",L.playerState(i)):h%4===W&&!de.has(Q(h))&&re(
"onClientObjectReplicated",Q(h));!P||!x||(P=!1,J=!1,Ie())}},notifyClientSceneLoaded(h,k,N){y||fe.loaded(h,k,`${N}`)},sendRpcToHost(h,k,N){
let G={name:Ze(h),object:k,args:ue(N)};if(w||!d)return Nt("not_connected");if(G.args.length>l.args)return cn("too_large");
if(D.inFlight>=l.callsInFlight)return cn("queue_full");let z={frame:G.args,isCall:!0,sent:()=>{ce.sent=!0}},ce=D.open([1],
!1,()=>oe.cancel(z));return z.frame=Ke(T.rpc,{call:ce.id,...G}),oe.send(z),ce.operation.op}};function Nt(h){let k=Ee({log:e.
log,later:N=>t.post(N,"always")});return t.post(()=>k.fail(h),"always"),k.op}function cn(h){let k=D.open([1],!1,()=>!1);
return t.post(()=>D.settle(k.id,1,h),"always"),k.operation.op}}function Eo(e,t){let n=new V;function o(r,u){if(typeof r!="function")throw new U(`${e}: a listener is a function`);return n.
has(r)||n.set(r,u),()=>{n.delete(r)}}return{event:O.freeze({add:r=>o(r,!1),once:r=>o(r,!0),remove:r=>n.delete(r),clear:()=>n.
clear(),get count(){return n.size}}),emit(...r){for(let[u,f]of[...n])if(n.has(u)){f&&n.delete(u);try{u(...r)}catch(a){t.
error(`${e}: a listener threw:`,a)}}}}}var Mt=1;function ko({sessionId:e,isActive:t,isPeer:n,say:o}){let r=new V,u=new V,f=new V,a=new he,i=0,s={sessionId:e,localConnectionId:Mt,
get writable(){return t()},changed:(g,S,_)=>{r.get(g.target)===g&&o("set",g.target,S,_)}},c=tt(s,le,"GameState",0,!1);r.
set(le,c);function l(g){let S=Ue(g),_=r.get(S)||tt(s,S,"PlayerState",0,!1);return r.set(S,_),f.set(g,_.view),_}function p(g,S,_,E,H){
let P=tt(s,g,S,_,E),J=Q(g);return r.set(g,P),u.set(J,P.view),H&&a.add(J),J>i&&(i=J),P}function d(g){let S=Q(g);return a.
delete(S),u.delete(S),r.delete(g)}function w(g){d(g)&&o("despawn",Q(g))}function y(g,S){for(let[_,E]of S)g.fields.has(_)||
g.fields.set(_,{key:0,raw:E,value:Xe(E)})}function x(){if(!t())throw new ee("the session is over")}function A(g){if(g===
void 0||g===0||g===Mt||n(g))return g||0;throw new U(`no peer ${g} in the session`)}return{game:c,objects:u,players:f,change:{
spawn(g,S,_){x();let E=typeof g=="string"?X(g).length:0;if(E===0||E>128)throw new U("spawn: the type of an object is a t\
ext of 1 to 128 bytes");let{owner:H,persistent:P=!1,despawnWithOwner:J=!1,private:B=!1}=_||{},oe=A(H),D=sn(S||{}),Re=i+1,
de=p(pt(Re),g,oe,!!P,!!J);return y(de,D),o("spawn",Re,g,oe,de.persistent,a.has(Re),!!B,D),de.view},despawn(g){x(),w(pt(g))},
setOwner(g,S){x();let _=r.get(pt(g));if(!_)throw new U(`no object ${g} in the session`);_.owner=A(S),o("owner",g,_.owner)}},
restore([g,S,_,E,H,P]){g%4!==W?y(g===le?c:l(Q(g)),S):r.has(g)||y(p(g,_,E,H,P),S)},addPlayer(g,S){y(l(g),S)},removePlayer(g){
f.delete(g),r.delete(Ue(g))},orphan(g){for(let S of[...r.values()])S.target%4!==W||S.owner!==g||(a.has(Q(S.target))?w(S.
target):(S.owner=Mt,o("owner",Q(S.target),Mt)))},clear(){for(let g of[...u.keys()])w(pt(g))},leaveScene(g){x();for(let S of[
...r.values()])S.target%4===W&&!(g&&S.persistent)&&d(S.target)}}}function sn(e){let t=typeof e.names=="function"&&typeof e.
get=="function",n=t?e.names():O.keys(e),o=[];for(let r of n){if(X(r).length>128||r==="")throw new U("state: a name has 1\
 to 128 bytes");o.push([r,We(t?e.get(r):e[r])])}return o}function Oo(e,{callback:t,ids:n,say:o}){let r=new V,u=[];function f(i){let s=r.get(i);r.delete(i),s&&s.abort()}function a(i,s){
let c=r.get(i);if(!c)return;let l=w=>{let y=w!==null&&typeof w=="object"?w:{approved:w},x=y.playerState?sn(y.playerState):
[],A=y.role==="spectator"||y.role==="player"?y.role:"",I=ke(`${y.reason||""}`,512);r.delete(i)&&o("decide",i,y.approved===
!0,I,A,x)},p=w=>{e.log.error("connectionApprovalCallback threw:",w),r.delete(i)&&o("decide",i,null,"","",[])},d=t();if(typeof d!=
"function")return l(!0);try{let w=d(O.freeze({projectId:n.projectId,buildHash:s.build,sessionId:n.sessionId,playerName:s.
name,asSpectator:s.spectator,userData:s.userData,provisionalConnectionId:i,remoteAddress:s.address,clientKind:s.kind,buildMatches:s.
buildMatches,signal:c.signal}));w&&typeof w.then=="function"?w.then(l).then(void 0,p):l(w)}catch(w){p(w)}}return{ask(i,s){
r.set(i,new ln),u.push(()=>a(i,s))},forget:f,decide(){let i=u;u=[];for(let s of i)s()},stop(){u=[];for(let i of[...r.keys()])
f(i)}}}var kr=O.freeze({isValid:!1,connectionId:0,state:"gone",role:"player",playerName:"",clientKind:"browser",joinedAtEpochMs:0,
rttMs:0,jitterMs:0,transitionId:0,remoteAddress:"",userData:new M(0),stats:O.freeze({bytesIn:0,bytesOut:0,queuedBytes:0,
droppedRpcs:0})}),Ro=()=>kr;function nt(e){return O.freeze({isValid:!0,connectionId:e.id,state:e.state,role:e.role,playerName:$t(
e.name),clientKind:e.kind,joinedAtEpochMs:e.joinedAt,rttMs:e.rtt,jitterMs:e.jitter,transitionId:e.transition,remoteAddress:e.
address,userData:e.userData,stats:O.freeze({bytesIn:e.bytesIn,bytesOut:e.bytesOut,queuedBytes:e.queued,droppedRpcs:e.dropped})})}var Oe=1,Io={size:32<<20,nesting:20,elements:1<<17},Or=500,Rr=2e3;function $o(e,{mail:t,emit:n,finished:o,approval:r},u,f,a){
let{sessionId:i}=u,s=!0,c=!1,l=!1,p=e.now(),d=new V,w=null,y=Oo(e,{callback:r,ids:u,say:B}),x={tid:0,uuid:"",name:"",instance:null},
A=null,I=null,g=Et({log:e.log,now:e.now,later:m=>t.post(m,"always")}),S=jt(e,{ping:(m,b)=>B("ping",m,b),silent(){}});S.clock.
start(f.hostMicros/1e3,e.now());let _=e.onWake(()=>{S.wake(),y.decide()}),E=ko({sessionId:i,isActive:()=>s,isPeer:m=>d.has(
m),say:B}),H=Ut({ids:()=>u,gameState:()=>E.game.view,playerState:()=>E.players.get(Oe),playerStates:E.players,objects:E.
objects,onRpc:g.handle,change:E.change}),P=[],J=!1;a.onopen=()=>{J=!0,S.start({pingMillis:1e4,timeoutMillis:6e5},f.hostMicros),
D()},a.onclose=()=>ve(c?"local_stop":"connection_lost"),a.onmessage=m=>{let b;try{b=Xe(new M(m),Io)}catch(C){return e.log.
error("the launcher sent something else than events:",C),ve("protocol_error")}for(let[C,...j]of b)Re(C,j);e.now()-p>Or&&
y.decide()};function B(...m){oe(m)}function oe(m){!l&&P.push(m)===1&&xe.resolve().then(D)}function D(){if(!J||l||P.length===
0)return;let m=P;P=[],a.send(We(m,Io))}function Re(m,b){let[C,...j]=b;if(!(c&&m!=="stopped"))switch(m){case"pong":return S.
pong({seq:b[0],t0:b[1],t1:b[2],t2:b[3]});case"approve":return y.ask(C,j[0]);case"forget":return y.forget(C);case"stopped":
return ve(c?"local_stop":`${C}`);case"call":{let[q,se,Y,ie,we]=j,K=(me,Z=new M(0))=>{we&&B("reply",C,me,Z)};return t.full?
K("queue_full"):t.post(()=>Pe(q,se,Y,ie,K),"call",ie.length)}default:{let q=de[m];q&&t.post(()=>q(...b))}}}let de={state:ht,
peers:m=>{for(let b of m)d.has(b.id)&&d.set(b.id,nt(b))},connected(m,b){let C=d.has(m.id);d.set(m.id,nt(m)),E.addPlayer(
m.id,b),C||L("onHostPeerConnected",d.get(m.id)),B("ready",m.id)},disconnected(m,b){d.has(m.id)&&(w=nt({...m,state:"gone"}),
d.delete(m.id),E.orphan(m.id),L("onHostPeerDisconnected",m.id,b),w=null,E.removePlayer(m.id))},dropped:m=>fe("onHostPeer\
Dropped",m),resumed:m=>fe("onHostPeerResumed",m),load:re,sceneLoaded:m=>fe("onHostPeerSceneLoadComplete",m),activated(m,b){
wt(b),fe("onHostPeerActivatedInScene",m)},complete(m){wt(m),L("onHostSceneTransitionComplete",m)},aborted:(m,b)=>L("onHo\
stTransitionAborted",m,b),result:(m,b,C,j)=>g.settle(m,b,dt.includes(C)?C:"unknown",j),failed:(m,b)=>g.fail(m,`${b}`)};function L(m,...b){
c||n(m,...b)}function fe(m,b){d.has(b.id)&&(d.set(b.id,nt(b)),L(m,b.id))}function ht(m){for(let b of m.entities)E.restore(
b);if(m.scene){let[b,C,j]=m.scene;x={tid:b,uuid:C,name:j,instance:null},A=je(e,x,null)}for(let b of m.peers)d.set(b.id,nt(
b));L("onSessionStarted");for(let{id:b}of m.peers)d.has(b)&&L("onHostPeerConnected",d.get(b))}function re(m,b,C,j,q){q&&
(E.clear(),A=null),x={tid:m,uuid:b,name:C,instance:null};let se=x,Y=I&&I.uuid===b?I:{uuid:b,name:C},{sceneLoader:ie}=H;(async()=>{
let K=typeof Y.load=="function"&&!Y.loaded&&await Y.load()||Y;return typeof ie=="function"?ie(K,j):null})().then(K=>{x===
se&&(se.instance=je(e,se,K),B("loaded",m,!0,""))},K=>{e.log.error(`the scene ${C} could not be loaded:`,K),B("loaded",m,
!1,ke(K instanceof ee?K.message:`${K}`,512))})}function wt(m){x.tid===m&&(!A||A.transitionId!==m)&&(A=x.instance||je(e,x,
null))}function Pe(m,b,C,j,q){let se=C===0?null:E.objects.get(C);if(se===void 0)return q("no_object");if(se&&m!==Oe&&se.
owner!==m&&g.handlers.has(b)&&!g.handlers.get(b)?.anyone)return q("not_owner");g.run(b,j,m,C,q)}function Ie(m,b,C,j,q){let se=Ze(
m),Y=ue(C).slice();if(!s)return Le(Z=>Z.fail("not_connected"));if(j.length===0)return Le(Z=>Z.succeed([]));let ie=["call",
0,se,b,Y,[]],we=g.open(j,q,()=>j.includes(Oe)||!P.includes(ie)?!1:(P=P.filter(Z=>Z!==ie),!0)),K=(Z,ae)=>t.post(()=>g.settle(
we.id,Z,ae));ie[1]=we.id;let me=ie[5];for(let Z of j)Y.length>f.maxArgs?K(Z,"too_large"):Z===Oe?t.post(()=>Pe(Oe,se,b,Y,
(ae,Nt)=>t.post(()=>g.settle(we.id,Oe,ae,Nt)))):d.has(Z)?b!==0&&!E.objects.has(b)?K(Z,"no_object"):me.push(Z):K(Z,"peer_\
gone");return me.length>0&&oe(ie),we.operation.op}function Le(m){let b=Ee({log:e.log,later:C=>t.post(C,"always")});return t.
post(()=>m(b),"always"),b.op}function Ne(){c||l||(B("stop"),D(),c=!0,s=!1,t.discard(),e.setTimeout(()=>ve("local_stop"),
Rr))}function ve(m){l||(l=!0,s=!1,_(),S.stop(),a.close(1e3,""),y.stop(),t.post(()=>{c=!1,g.failAll(m);for(let[b,C]of[...d].
sort(([j],[q])=>j-q))w=O.freeze({...C,state:"gone"}),d.delete(b),n("onHostPeerDisconnected",b,"host_stopped");w=null,o(m),
n("onSessionStopped",m)},"always"))}return{get mode(){return f.dedicated?"dedicated":"host"},isAuthority:!0,get hostPort(){
return s?f.port:0},get joinCode(){return s?f.joinCode:""},get isSessionActive(){return s},get localConnectionId(){return s?
Oe:0},localRole:"authority",get sessionId(){return s?i:""},get peers(){return[...d.values()].sort((m,b)=>m.connectionId-
b.connectionId)},get activeScene(){return A},get context(){return s?H:null},serverTime:()=>S.clock.now(e.now()),peer:m=>d.
get(m)||(w&&w.connectionId===m?w:void 0),stop:Ne,beforeUpdate(){p=e.now(),y.decide()},update(){},disconnectPeer(m,b){if(m===
Oe)throw new U("disconnectPeer: the host leaves by stop()");s&&d.has(m)?B("kick",m,ke(`${b===void 0?"":b}`,512)):e.log.debug(
`disconnectPeer: no peer ${m}`)},hostLoadScene(m,b){let{uuid:C,name:j}=ro(m);E.leaveScene(b),b||(A=null),I=m,B("scene",C,
ke(j,128),b)},sendRpcToConnection:(m,b,C,j)=>Ie(m,b,C,[j],!1),sendRpcMulticast:(m,b,C,j)=>Ie(m,b,C,[...new he(j)],!0),sendRpcToOwner(m,b,C){
let j=E.objects.get(b);return!j||j.owner===0?(Ze(m),Le(q=>q.fail(j?"no_owner":"no_object"))):Ie(m,b,C,[j.owner],!1)}}}function Co(){let e=[],t=0,n=0,o=0;function r(u){e=e.slice(t).filter(f=>u(f.kind)),t=0,n=0;for(let f of e)n+=f.bytes}return{
get full(){return e.length-t>=4096||n>8388608},get flooded(){return e.length-t>=2*4096},post(u,f="keep",a=0){e.push({kind:f,
bytes:a,order:++o,run:u}),n+=a},dropState:()=>r(u=>u!=="state"),discard:()=>r(u=>u==="always"),drain(){let u=o;for(;t<e.
length&&e[t].order<=u;){let f=e[t++];n-=f.bytes,f.run()}t===e.length?e=[]:e=e.slice(t),t=0}}}var Ir=["onHostPeerConnected","onHostPeerDisconnected","onSessionStarted","onSessionStopped","onClientJoinFailed","onCli\
entSceneLoadRequested","onClientSceneActivate","onClientGameStateReplicated","onClientPlayerStateReplicated","onClientOb\
jectReplicated","onHostSceneTransitionComplete","onHostPeerSceneLoadComplete","onHostPeerActivatedInScene","onHostPeerDr\
opped","onHostPeerResumed","onHostTransitionAborted","onClientConnectionLost","onClientConnectionResumed","onClientObjec\
tRemoved"],an={mode:"none",isAuthority:!1,hostPort:0,joinCode:"",isSessionActive:!1,localConnectionId:0,localRole:"none",
sessionId:"",peers:[],activeScene:null,context:null};function jo(e,t){let n=new dn,o=f=>{let a=n.get(f);if(!a)throw new U(
"not a NetSessionManager");return a};class r{constructor(){let a=Co(),i={},s={role:null,lastError:"",approval:null,mail:a,
updating:!1,hooks:{mail:a,emit:(c,...l)=>i[c](...l),finished(c){s.lastError=c,s.role=null},approval:()=>s.approval}};n.set(
this,s);for(let c of Ir){let{event:l,emit:p}=Eo(c,e.log);i[c]=p,Se(this,c,{value:l,enumerable:!0})}}get peerCount(){return(o(
this).role||an).peers.length}get serverTimeEpochMs(){let{role:a}=o(this);return a?a.serverTime():e.wall()}get lastError(){
return o(this).lastError}get connectionApprovalCallback(){return o(this).approval}set connectionApprovalCallback(a){if(a!=
null&&typeof a!="function")throw new U("connectionApprovalCallback is a function or null");o(this).approval=a||null}startHost(a,i,s,c,l={}){
let p=o(this),d={projectId:rt("projectId",a),sessionId:rt("sessionId",i),buildHash:rt("buildHash",s),port:c==null?null:$r(
c),...Cr(l)};if(p.role)return ot(p,"a session is active already");if(!e.host)return ot(p,"only a game that runs in Conch\
 can host a session");let w=e.host.start(d);return w.ok?(p.lastError="",p.role=$o(e,p.hooks,d,w,e.host.link(w.link)),!0):
ot(p,Me(`${w.error}`))}joinSession(a,i){let s=o(this),c=Ur(a);if(s.role)return ot(s,"a session is active already");let l=qn(
i);return l?t.local&&!Gn(l,t.allowedHosts)?ot(s,`${l.text} is not on the local network; add it to Network > Allowed host\
s (network.allowedHosts in conch.json)`):(s.lastError="",s.role=Ao(e,s.hooks,c,l),!0):ot(s,`'${Me(`${i}`).slice(0,100)}'\
 is not the address of a host; write host:${Kt}`)}stop(){let{role:a}=o(this);a&&a.stop()}update(a){let i=o(this);if(!i.updating){
i.updating=!0;try{i.role?.beforeUpdate&&i.role.beforeUpdate(),i.mail.drain(),i.role&&i.role.update()}finally{i.updating=
!1}}}getPeerForConnection(a){let{role:i}=o(this);return i&&i.peer&&i.peer(a)||Ro()}disconnectPeer(a,i){Uo(o(this),"disco\
nnectPeer").disconnectPeer(a,i)}hostLoadScene(a,i=!1){Uo(o(this),"hostLoadScene").hostLoadScene(a,!!i)}notifyClientSceneLoaded(a,i=!0,s=""){
let{role:c}=o(this);if(!c||!c.notifyClientSceneLoaded)throw new ee("notifyClientSceneLoaded: only a client of a session \
calls it");c.notifyClientSceneLoaded(a,!!i,s)}sendRpcToHost(a,i,s){return u(o(this),"sendRpcToHost","not_client",[a,Pt(i),
s])}sendRpcToConnection(a,i,s,c){return u(o(this),"sendRpcToConnection","not_host",[a,Pt(i),s,Lt(c,"connectionId")])}sendRpcToOwner(a,i,s){
return u(o(this),"sendRpcToOwner","not_host",[a,Pt(i),s])}sendRpcMulticast(a,i,s,c){if(!Be.isArray(c))throw new U("sendR\
pcMulticast: connectionIds is a list");let l=c.map(p=>Lt(p,"a connection id"));return u(o(this),"sendRpcMulticast","not_\
host",[a,Pt(i),s,l])}}for(let f of O.keys(an))Se(r.prototype,f,{get(){let a=o(this).role||an;return f==="joinCode"?a.joinCode||
"":f==="peers"?[...a.peers]:a[f]},configurable:!0});return Se(r,"name",{value:"NetSessionManager",configurable:!0}),r;function u(f,a,i,s){
if(ue(s[2]),f.role&&f.role[a])return f.role[a](...s);let c=Ee({log:e.log,later:l=>f.mail.post(l,"always")});return f.mail.
post(()=>c.fail(f.role?i:"not_connected"),"always"),c.op}}function ot(e,t){return e.lastError=t,!1}function Uo(e,t){if(!e.
role||!e.role.isAuthority)throw new ee(`${t}: only the session host calls it`);return e.role}function rt(e,t){if(typeof t==
"string"&&/^[A-Za-z0-9._:+-]{1,128}$/.test(t))return t;throw new U(`${e} has 1 to 128 of the characters A-Z a-z 0-9 . _ \
: + -`)}function Lt(e,t){if(te.isSafeInteger(e)&&e>=0)return e;throw new U(`${t} is a whole number, not ${e}`)}function Pt(e){
return Lt(e,"the id of an object")}function $r(e){if(te.isInteger(e)&&e>=0&&e<=65535)return e;throw new U(`startHost: th\
e port is a whole number from 0 to 65535, not ${e}`)}function Cr({password:e,open:t,maxPeers:n,anyBuild:o}){let r={};return e!==
void 0&&(r.password=`${e}`),t!==void 0&&(r.open=!!t),n!==void 0&&(r.maxPeers=Lt(n,"maxPeers")),o!==void 0&&(r.anyBuild=!!o),
r}function Ur(e){if(e===null||typeof e!="object")throw new U("joinSession: the request is an object with projectId and b\
uildHash");let{projectId:t,buildHash:n,sessionId:o,playerName:r="",password:u,joinCode:f="",asSpectator:a,userData:i,timeoutMs:s=1e4}=e,
c=ue(i).slice();if(c.length>4096)throw new U(`joinSession: userData has ${c.length} bytes, at most 4096 are sent`);if(u!==
void 0&&X(`${u}`).length>1024)throw new U("joinSession: the password is longer than 1024 bytes");return{projectId:rt("pr\
ojectId",t),buildHash:rt("buildHash",n),sessionId:o===void 0||o===""?"":rt("sessionId",o),playerName:$t(r),password:u===
void 0?void 0:`${u}`,joinCode:Ct(`${f}`),asSpectator:!!a,userData:c,timeoutMs:te.isFinite(s)?ne(F(s,1e3),6e4):1e4}}var jr=O.freeze({None:"none",Host:"host",Dedicated:"dedicated",Client:"client"}),Mr=O.freeze({None:"none",Authority:"aut\
hority",Player:"player",Spectator:"spectator"});function Mo(e,t){let{origin:n,allowedHosts:o}=t;return{NetSessionManager:jo(
Hn(e,t),{local:n!=="",allowedHosts:o}),NetSessionMode:jr,NetRole:Mr,DataStream:be}}var _e=globalThis,Po=Symbol.for("conch.session");function Pr(){let e=_e[Po];return delete _e[Po],e||{driver:bn(_e.WebSocket),
log:_n({debug:!1},yt),origin:"",allowedHosts:[]}}if(_e.document&&!(_e.conch&&_e.conch.NetSessionManager)){let e=Mo(_e,Pr()),
{NetSessionManager:t}=e,n=O.freeze({version:"1.0",..._e.conch,...e});for(let[o,r]of[["conch",n],["NetSessionManager",t]])
Se(_e,o,{value:r,writable:!0,configurable:!0})}})();
