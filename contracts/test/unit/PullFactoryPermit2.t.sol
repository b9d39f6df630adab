// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {HookToken} from "../mocks/Tokens.sol";
import {IPermit2} from "../../src/IPermit2.sol";
import {Permit2Bench} from "../mocks/Permit2Bench.sol";
import {vm} from "../mocks/Vm.sol";

contract SigningAccount {
    bytes private accepted;

    function accept(bytes calldata signature) external {
        accepted = signature;
    }

    function isValidSignature(bytes32, bytes calldata signature) external view returns (bytes4) {
        return keccak256(signature) == keccak256(accepted) ? this.isValidSignature.selector : bytes4(0);
    }

    function approve(address token, address spender) external {
        (bool done,) = token.call(abi.encodeWithSignature("approve(address,uint256)", spender, type(uint256).max));
        require(done, "approve");
    }
}

contract PullFactoryPermit2Test is Permit2Bench {
    bytes4 private constant INVALID_SIGNER = bytes4(keccak256("InvalidSigner()"));
    bytes4 private constant INVALID_NONCE = bytes4(keccak256("InvalidNonce()"));
    bytes4 private constant EXPIRED = bytes4(keccak256("SignatureExpired(uint256)"));

    bytes private hookCall;
    bool private isActing;
    uint256 private hooksThatWentThrough;

    function test_oneSignaturePaysItsDeposit() external {
        bytes memory signature = sign(orderTo(deposit));
        vm.prank(person("stranger"));
        pull(signature);
        vm.assertEq(usdt.balanceOf(deposit), AMOUNT, "paid");
        vm.assertEq(usdt.balanceOf(payer), FUNDS - AMOUNT, "no more than that");
        vm.assertEq(usdt.balanceOf(address(pulls)), 0, "nothing stays here");
        vm.assertEq(usdt.allowance(payer, address(pulls)), 0, "and nothing is allowed here");
    }

    function test_whatIsPaidIsSweptAsIfSent() external {
        pull(sign(orderTo(deposit)));
        vm.assertEq(factory.sweep(split, REF, address(usdt)), AMOUNT, "swept");
        vm.assertEq(usdt.balanceOf(split), AMOUNT, "at the split");
    }

    function test_aStrangerWhoPullsFirstPaysTheSameDepositOnce() external {
        bytes memory signature = sign(orderTo(deposit));
        vm.prank(person("stranger"));
        pull(signature);
        vm.expectRevert(INVALID_NONCE);
        pull(signature);
        vm.assertEq(usdt.balanceOf(deposit), AMOUNT, "once");
    }

    function test_whoSignsForOnePaymentTwicePaysItOnce() external {
        Order memory later = orderTo(deposit);
        later.deadline = DEADLINE + 100;
        bytes memory second = sign(later);
        pull(sign(orderTo(deposit)));
        vm.expectRevert(INVALID_NONCE);
        pulls.pullWithPermit2(deposit, address(usdt), AMOUNT, later.deadline, payer, second);
    }

    function test_aPartAnotherTokenOrAnotherPlaceIsNotWhatWasSigned() external {
        bytes memory signature = sign(orderTo(deposit));
        vm.expectRevert(INVALID_SIGNER);
        pulls.pullWithPermit2(deposit, address(usdt), AMOUNT - 1, DEADLINE, payer, signature);
        vm.expectRevert(INVALID_SIGNER);
        pulls.pullWithPermit2(person("thief"), address(usdt), AMOUNT, DEADLINE, payer, signature);
        usdc.mint(payer, FUNDS);
        vm.prank(payer);
        usdc.approve(address(PERMIT2), FUNDS);
        vm.expectRevert(INVALID_SIGNER);
        pulls.pullWithPermit2(deposit, address(usdc), AMOUNT, DEADLINE, payer, signature);
        vm.assertEq(usdt.balanceOf(payer), FUNDS, "nothing moved");
        vm.assertEq(usdc.balanceOf(payer), FUNDS, "of the other token neither");
    }

    function test_aSignatureForOneReceiptPaysNoOtherReceiptOrSplit() external {
        bytes memory signature = sign(orderTo(deposit));
        address otherReceipt = factory.depositAddress(split, "another receipt");
        vm.expectRevert(INVALID_SIGNER);
        pulls.pullWithPermit2(otherReceipt, address(usdt), AMOUNT, DEADLINE, payer, signature);
        address otherSplit = address(splitOf(person("c"), person("d")));
        address depositOfOther = factory.depositAddress(otherSplit, REF);
        vm.expectRevert(INVALID_SIGNER);
        pulls.pullWithPermit2(depositOfOther, address(usdt), AMOUNT, DEADLINE, payer, signature);
    }

    /// @dev A payment's nonce is derived from the payment. Any other nonce is invalid, even if the payer
    /// signed it.
    function test_aNonceThatIsNotThePaymentsPaysNothing() external {
        Order memory order = orderTo(deposit);
        order.nonce += 1;
        bytes memory signature = sign(order);
        vm.expectRevert(INVALID_SIGNER);
        pull(signature);
    }

    function test_nobodyElseIsTheSpender() external {
        bytes memory signature = sign(orderTo(deposit));
        uint256 nonce = orderTo(deposit).nonce;
        IPermit2.PermitTransferFrom memory permit =
            IPermit2.PermitTransferFrom(IPermit2.TokenPermissions(address(usdt), AMOUNT), nonce, DEADLINE);
        IPermit2.SignatureTransferDetails memory details =
            IPermit2.SignatureTransferDetails(person("thief"), AMOUNT);
        bytes32 witness = keccak256(abi.encode(keccak256("Payment(address to)"), deposit));
        vm.expectRevert(INVALID_SIGNER);
        PERMIT2.permitWitnessTransferFrom(
            permit,
            details,
            payer,
            witness,
            "Payment witness)Payment(address to)TokenPermissions(address token,uint256 amount)",
            signature
        );
        vm.expectRevert(INVALID_SIGNER);
        PERMIT2.permitTransferFrom(permit, details, payer, signature);
    }

    function test_aSignatureWithoutThePaymentsWitnessPaysNothing() external {
        bytes32 permitted =
            keccak256(abi.encode(keccak256("TokenPermissions(address token,uint256 amount)"), address(usdt), AMOUNT));
        bytes32 message = keccak256(
            abi.encode(
                keccak256(
                    "PermitTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline)TokenPermissions(address token,uint256 amount)"
                ),
                permitted,
                address(pulls),
                orderTo(deposit).nonce,
                DEADLINE
            )
        );
        (uint8 v, bytes32 r, bytes32 s) =
            vm.sign(KEY, keccak256(abi.encodePacked(hex"1901", PERMIT2.DOMAIN_SEPARATOR(), message)));
        vm.expectRevert(INVALID_SIGNER);
        pull(abi.encodePacked(r, s, v));
    }

    function test_aSignatureForAnotherChainPaysNothing() external {
        bytes32 domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,uint256 chainId,address verifyingContract)"),
                keccak256("Permit2"),
                block.chainid + 1,
                address(PERMIT2)
            )
        );
        bytes memory signature = signIn(orderTo(deposit), domain);
        vm.expectRevert(INVALID_SIGNER);
        pull(signature);
    }

    function test_aPaymentEndsWithItsDeadline() external {
        bytes memory signature = sign(orderTo(deposit));
        vm.warp(DEADLINE + 1);
        vm.expectRevert(abi.encodeWithSelector(EXPIRED, DEADLINE));
        pull(signature);
        vm.expectRevert(INVALID_SIGNER);
        pulls.pullWithPermit2(deposit, address(usdt), AMOUNT, DEADLINE + 100, payer, signature);
        vm.warp(DEADLINE);
        pull(signature);
        vm.assertEq(usdt.balanceOf(deposit), AMOUNT, "in its last second");
    }

    function test_whatThePayerCancelledPaysNothing() external {
        Order memory order = orderTo(deposit);
        bytes memory signature = sign(order);
        vm.prank(payer);
        PERMIT2.invalidateUnorderedNonces(order.nonce >> 8, 1 << (order.nonce & 0xff));
        vm.expectRevert(INVALID_NONCE);
        pull(signature);
    }

    function test_withoutItsApprovalNothingMovesAndTheNonceStaysGood() external {
        bytes memory signature = sign(orderTo(deposit));
        vm.prank(payer);
        usdt.approve(address(PERMIT2), 0);
        vm.expectRevert();
        pull(signature);
        vm.assertTrue(!nonceIsUsed(orderTo(deposit).nonce), "the nonce is not used");
        vm.prank(payer);
        usdt.approve(address(PERMIT2), AMOUNT);
        pull(signature);
        vm.assertEq(usdt.balanceOf(deposit), AMOUNT, "paid after all");
    }

    function test_aRefusedTransferLeavesTheNonceGood() external {
        bytes memory signature = sign(orderTo(deposit));
        usdt.setBlocked(payer, true);
        vm.expectRevert();
        pull(signature);
        vm.assertTrue(!nonceIsUsed(orderTo(deposit).nonce), "the nonce is not used");
    }

    function test_anAccountThatIsAContractPays() external {
        SigningAccount account = new SigningAccount();
        usdt.mint(address(account), AMOUNT);
        account.approve(address(usdt), address(PERMIT2));
        account.accept("yes");
        vm.expectRevert(bytes4(keccak256("InvalidContractSignature()")));
        pulls.pullWithPermit2(deposit, address(usdt), AMOUNT, DEADLINE, address(account), "no");
        pulls.pullWithPermit2(deposit, address(usdt), AMOUNT, DEADLINE, address(account), "yes");
        vm.assertEq(usdt.balanceOf(deposit), AMOUNT, "paid");
    }

    function test_onAChainWithoutPermit2NothingSeemsPaid() external {
        bytes memory signature = sign(orderTo(deposit));
        vm.etch(address(PERMIT2), "");
        vm.expectRevert();
        pull(signature);
    }

    /// @dev The token calls its sender, this contract, which pulls again.
    function test_aHookThatPullsAgainPaysNoSecondTime() external {
        HookToken hooked = new HookToken();
        hooked.mint(address(this), 3 * AMOUNT);
        hookCall = abi.encodeCall(
            pulls.pullWithPermit2, (deposit, address(hooked), AMOUNT, DEADLINE, address(this), "")
        );
        pulls.pullWithPermit2(deposit, address(hooked), AMOUNT, DEADLINE, address(this), "");
        vm.assertEq(hooksThatWentThrough, 0, "the nonce is used by then");
        vm.assertEq(hooked.balanceOf(deposit), AMOUNT, "once");
    }

    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) {
        return this.isValidSignature.selector;
    }

    /// @dev Acts only once, because successful calls invoke this hook again.
    function tokensToSend() external {
        if (isActing) return;
        isActing = true;
        (bool done,) = address(pulls).call(hookCall);
        if (done) ++hooksThatWentThrough;
    }
}
