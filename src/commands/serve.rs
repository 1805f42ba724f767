use std::net::SocketAddr;
use std::path::PathBuf;

use flipside_operations::{Failure, Result, raise_open_files};
use flipside_site::{
    AccountSettings, DEFAULT_LISTEN, SignUp, SiteLimits, SiteLogo, SiteUrl, serve,
};
use rustix::fs::{Access, access};

use crate::args::{ArenaArg, NewArg, WorkersArgs};
use crate::output::{self, note};

/// Show the arena as a web site
///
/// People with an account submit bots there; the site checks them in isolation. `flipside invite` makes a link for the
/// first account. After Ctrl-C or SIGTERM, finishes running requests and matches for at most 30 seconds, and stops. A
/// second signal aborts the matches.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Address and port; port 0 takes a free one
    #[arg(long, default_value = DEFAULT_LISTEN, value_name = "ADDRESS:PORT")]
    listen: SocketAddr,
    /// Who can make an account [default: invited, or off if the arena cannot be written]
    #[arg(long, value_enum, value_name = "WHO")]
    sign_up: Option<SignUpChoice>,
    /// Name of the site [default: Flipside]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// A line about the site, for its home page
    #[arg(long, value_name = "TEXT")]
    about: Option<String>,
    /// A picture beside the name of the site: an SVG or PNG file of at most 200 kB
    #[arg(long, value_name = "FILE")]
    logo: Option<PathBuf>,
    /// Keep visitors without an account from playing against built-in bots
    #[arg(long)]
    no_guests: bool,
    /// Address of the site in browsers, such as `https://arena.example`
    ///
    /// With https, browsers send the cookies of sessions over https only. The site accepts forms only from pages of
    /// this address.
    #[arg(long, value_name = "URL")]
    url: Option<SiteUrl>,
    /// Take the addresses of visitors from a proxy
    ///
    /// The last address in the header X-Forwarded-For counts. Without a proxy, visitors could forge this header.
    #[arg(long)]
    behind_proxy: bool,
    /// Let organisers give single bots of their tournaments the network of this machine
    ///
    /// Such a bot reaches what this machine reaches, its own services too; SECURITY.md says more.
    #[arg(long)]
    bot_network: bool,
    #[command(flatten)]
    workers: WorkersArgs,
    #[command(flatten)]
    new: NewArg,
    #[command(flatten)]
    arena: ArenaArg,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum SignUpChoice {
    /// Everybody
    Open,
    /// Those with a link of `flipside invite`
    Invited,
    /// Nobody: there are no accounts, and the site only reads the arena
    Off,
}

impl From<SignUpChoice> for SignUp {
    fn from(who: SignUpChoice) -> Self {
        match who {
            SignUpChoice::Open => SignUp::Open,
            SignUpChoice::Invited => SignUp::Invited,
            SignUpChoice::Off => SignUp::Off,
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let arena = args.arena.open(args.new)?;
    if !args.listen.ip().is_loopback() {
        note!(
            "warning: {} is open to other machines: everybody who reaches it can read the site, without encryption",
            args.listen
        );
    }
    let sign_up = match args.sign_up {
        Some(who) => who.into(),
        None if access(arena.path(), Access::WRITE_OK).is_ok() => SignUp::Invited,
        None => {
            note!("warning: the arena cannot be written, so its site has no accounts");
            SignUp::Off
        }
    };
    let logo = args.logo.as_deref().map(|file| {
        let failed = |error| Failure::new(format!("{}: {error}", file.display()));
        SiteLogo::read(file).map_err(failed)
    });
    let logo = logo.transpose()?;
    let settings = AccountSettings {
        sign_up,
        title: args.title.clone(),
        about: args.about.clone(),
        logo,
        no_guests: args.no_guests,
        url: args.url.clone(),
        behind_proxy: args.behind_proxy,
        remote: (args.workers).remote(arena.path(), |line| note!("{line}"))?,
    };
    raise_open_files();
    let limits = SiteLimits {
        bot_network: args.bot_network,
        ..SiteLimits::default()
    };
    serve(arena, args.listen, limits, settings, &mut |address| {
        output::print(&format!("http://{address}/\n"))
    })
}
